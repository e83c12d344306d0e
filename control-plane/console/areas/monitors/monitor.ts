import type { MonitorType } from '@vantage/shared/monitor-types/index.js';
import type { getMonitor, listMonitors } from '../../../src/modules/monitors/routes/monitors.js';
import type { statusActs } from '../../../src/modules/monitors/routes/status.js';
import { act, type DataOf } from '../../api/call.js';

export type Monitor = DataOf<typeof listMonitors>['items'][number];
export type MonitorDetail = DataOf<typeof getMonitor>;

/** Acts that change the configured status, and the status that each leads to. */
export const statusAfter = { pause: 'paused', resume: 'active', archive: 'archived' } as const;
export type StatusAct = keyof typeof statusAfter;

export async function setStatus(id: string, verb: StatusAct): Promise<void> {
  await act<(typeof statusActs)[number]>('POST', `/v1/monitors/${id}/${verb}`);
}

/** Types of monitors and their names, which are those of the protocols. One that is missing does not compile. */
const typeNames: Readonly<Record<MonitorType | 'heartbeat', string>> = {
  https: 'HTTPS',
  http: 'HTTP',
  keyword: 'HTTP + keyword',
  json: 'HTTP + JSON',
  ping: 'ping',
  tcp: 'TCP',
  dns: 'DNS',
  traceroute: 'traceroute',
  ssl_expiry: 'SSL expiry',
  domain_expiry: 'domain expiry',
  icp: 'ICP',
  rbl: 'RBL',
  browser: 'browser',
  heartbeat: 'heartbeat',
};
export type MonitorTypeName = keyof typeof typeNames;
export const monitorTypes = Object.keys(typeNames) as readonly MonitorTypeName[];

export function typeName(type: string): string {
  return Object.hasOwn(typeNames, type) ? typeNames[type as MonitorTypeName] : type;
}
