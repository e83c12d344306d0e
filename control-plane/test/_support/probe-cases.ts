import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Test } from 'tap';
import { needsRawSockets } from './raw-sockets.js';
import { SlowTarget } from './slow-target.js';
import { startSmtpServer } from './smtp-server.js';
import { startGreeter, startNameServer, startTimeServer } from './targets.js';

/** What a probe of a type is asked, and what a node finds. */
export interface ProbeCase {
  readonly target: string;
  readonly params?: object;
  readonly found: object;
}

/** Where targets are: an address of loopback, and the URL of a control plane with VANTAGE_SPEEDTEST=on. */
interface Place {
  readonly host: string;
  readonly controlPlaneUrl: string;
}

/** Starts something on loopback for a probe of each type to measure. A new type does not compile without its own. */
export const probeCases: { readonly [T in ProbeType]: (t: Test, place: Place) => Promise<ProbeCase> } = {
  http: async (t, { host }) => ({
    target: (await SlowTarget.start(t, host)).url('/hello'),
    found: { status_code: 200, body: 'hello', resolved_ip: host },
  }),
  ping: async (_t, { host }) => ({
    target: host,
    params: { count: 2, interval_ms: 200 },
    found: { packets_sent: 2, packets_received: 2, loss_pct: 0, rtt: { avg_ms: Number }, resolved_ip: host },
  }),
  dns: async (t, { host }) => ({
    target: 'www.example.com',
    params: { server: host, port: await startNameServer(t, host) },
    found: { rcode: 'NOERROR', records: [{ name: 'www.example.com', type: 'A', ttl: 60, value: '203.0.113.10' }] },
  }),
  tcp: async (t, { host }) => ({
    target: endpoint(host, await startGreeter(t, host)),
    params: { banner: true },
    found: { resolved_ip: host, connect_ms: Number, banner: /^220 ready/ },
  }),
  traceroute: async (_t, { host }) => ({
    target: host,
    params: { reverse_dns: false },
    found: { reached: true, hops: [{ ttl: 1, replies: [{ ip: host, rtt_ms: Number }] }] },
  }),
  mtr: async (_t, { host }) => ({
    target: host,
    params: { cycles: 2, interval_ms: 200, reverse_dns: false },
    found: { reached: true, resolved_ip: host, hops: [{ ttl: 1, loss_pct: 0, rtt: { avg_ms: Number } }] },
  }),
  smtp: async (t, { host }) => ({
    target: endpoint(host, (await startSmtpServer(t, { address: host, encryption: 'starttls' })).port),
    found: { resolved_ip: host, starttls: { offered: true, asked: true, done: true }, tls: { protocol: 'TLSv1.3' } },
  }),
  ntp: async (t, { host }) => ({
    target: endpoint(host, await startTimeServer(t, host)),
    params: { count: 1 },
    found: { resolved_ip: host, stratum: 1, refid: 'TEST', leap: 'none', offset_ms: Number, packets_received: 1 },
  }),
  ssl: async (t, { host }) => ({
    target: endpoint(host, (await startSmtpServer(t, { address: host, encryption: 'tls' })).port),
    found: { resolved_ip: host, valid: false, protocol: 'TLSv1.3', grade: 'T', chain: [{ subject: /localhost/ }] },
  }),
  speedtest: async (_t, { host, controlPlaneUrl }) => ({
    target: `${controlPlaneUrl}/speedtest`,
    params: { bytes: 1_000_000 },
    found: { resolved_ip: host, bytes: 2_000_000, download: { bytes: 1_000_000 }, upload: { bytes: 1_000_000 } },
  }),
};

/** Options of a test of the type: without root there are no raw sockets. */
export function optionsOf(type: ProbeType): typeof needsRawSockets {
  return definitionOf(type).capability === null ? {} : needsRawSockets;
}

function endpoint(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
