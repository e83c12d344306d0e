import { defineWebhookKind } from './kind.js';
import {
  EventData,
  ExpiryData,
  eventPart,
  exampleData,
  exampleNode,
  examplePayload,
  examplesOfPeriod,
  MonitorData,
  monitorPart,
  NodeData,
  ThinEvent,
  ThinMonitor,
  ThinNode,
  thinEvent,
  thinMonitor,
  thinNode,
} from './parts.js';

// Kinds that differ in nothing but when they are sent.

type MonitorKind = 'monitor.paused' | 'monitor.resumed' | 'monitor.archived' | 'monitor.deleted';
type PeriodKind = 'monitor.down' | 'monitor.degraded' | 'monitor.up';
type ExpiryKind = 'ssl.expiring' | 'domain.expiring';
type NodeKind = 'node.online' | 'node.offline' | 'node.unhealthy' | 'node.banned';

/** Kind about a monitor, whatever its state. */
export function defineMonitorKind(summary: string) {
  return defineWebhookKind<MonitorKind, typeof MonitorData>({
    summary,
    subject: 'monitor',
    full: MonitorData,
    thin: ThinMonitor,
    eventExample: examplePayload,
    example: exampleData,
    dataOf: ({ payload }, context) => monitorPart(payload.monitor, context),
    thinOf: thinMonitor,
  });
}

/** Kind about a period when a monitor is or was not up. `type`, `hasEnded`: of the example. */
export function definePeriodKind(summary: string, type: 'down' | 'degraded', hasEnded = false) {
  const period = examplesOfPeriod(type, hasEnded);
  return defineWebhookKind<PeriodKind, typeof EventData>({
    summary,
    subject: 'monitor',
    full: EventData,
    thin: ThinEvent,
    eventExample: { ...examplePayload, event: period.payload, is_flapping: false },
    example: { ...exampleData, event: period.data, is_flapping: false },
    dataOf: ({ payload }, context) => ({
      ...monitorPart(payload.monitor, context),
      event: eventPart(payload.event),
      is_flapping: payload.is_flapping,
    }),
    thinOf: thinEvent,
  });
}

/** Kind about something of a monitor that expires. */
export function defineExpiryKind(summary: string) {
  const expiry = { expires_at: '2026-12-05T00:00:00.000Z', days_left: 14, threshold_days: 14 };
  return defineWebhookKind<ExpiryKind, typeof ExpiryData>({
    summary,
    subject: 'monitor',
    full: ExpiryData,
    thin: ThinMonitor,
    eventExample: { ...examplePayload, ...expiry },
    example: { ...exampleData, ...expiry },
    dataOf: ({ payload: { monitor, expires_at, days_left, threshold_days } }, context) => ({
      ...monitorPart(monitor, context),
      expires_at,
      days_left,
      threshold_days,
    }),
    thinOf: thinMonitor,
  });
}

/** Kind about a node. */
export function defineNodeKind(summary: string) {
  return defineWebhookKind<NodeKind, typeof NodeData>({
    summary,
    subject: 'node',
    full: NodeData,
    thin: ThinNode,
    eventExample: exampleNode,
    example: exampleNode,
    dataOf: ({ payload }) => payload,
    thinOf: thinNode,
  });
}
