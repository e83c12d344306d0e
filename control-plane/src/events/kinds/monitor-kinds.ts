import { Type } from 'typebox';
import { defineKind, instant, open, record } from './kind.js';
import {
  EventData,
  EventPart,
  periodRecord as event,
  eventPart,
  exampleData,
  examplePayload,
  examplesOfPeriod,
  instantOf,
  MonitorData,
  MonitorPart,
  monitorRecord as monitor,
  monitorPart,
  ThinEvent,
  ThinMonitor,
  thinEvent,
  thinMonitor,
  url,
} from './parts.js';

/** Webhook about a monitor as a whole. */
const aboutMonitor = { thin: ThinMonitor, thinOf: thinMonitor };
/** Webhook about a period of a monitor. */
const aboutEvent = { thin: ThinEvent, thinOf: thinEvent };

/** Kind about a monitor, whatever its state. */
function ofMonitor(summary: string) {
  return defineKind('monitor', record({ monitor }), {
    summary,
    ...aboutMonitor,
    full: MonitorData,
    eventExample: examplePayload,
    example: exampleData,
    dataOf: ({ monitor }, context) => monitorPart(monitor, context),
  });
}

/** Kind about a period when a monitor is or was not up. `type`, `hasEnded`: of the example. */
function ofPeriod(summary: string, type: 'down' | 'degraded', hasEnded = false) {
  const period = examplesOfPeriod(type, hasEnded);
  // `is_flapping`: the change belongs to a period of flapping, which `monitor.flapping` reports
  return defineKind('monitor', record({ monitor, event, is_flapping: Type.Boolean() }), {
    summary,
    ...aboutEvent,
    full: EventData,
    eventExample: { ...examplePayload, event: period.payload, is_flapping: false },
    example: { ...exampleData, event: period.data, is_flapping: false },
    dataOf: ({ monitor, event, is_flapping }, context) => ({
      ...monitorPart(monitor, context),
      event: eventPart(event),
      is_flapping,
    }),
  });
}

/** Kind about something of a monitor that expires; published once per threshold and date. */
function ofExpiry(summary: string) {
  const expiry = { expires_at: '2026-12-05T00:00:00.000Z', days_left: 14, threshold_days: 14 };
  const payload = record({
    monitor,
    expires_at: instant,
    days_left: Type.Integer(),
    threshold_days: Type.Integer(),
  });
  return defineKind('monitor', payload, {
    summary,
    ...aboutMonitor,
    full: open({
      monitor: MonitorPart,
      expires_at: instantOf('Expiry of the certificate or the domain.'),
      days_left: Type.Integer(),
      threshold_days: Type.Integer({ description: 'Threshold of the monitor that was passed.' }),
      url,
    }),
    eventExample: { ...examplePayload, ...expiry },
    example: { ...exampleData, ...expiry },
    dataOf: ({ monitor, ...rest }, context) => ({ ...monitorPart(monitor, context), ...rest }),
  });
}

const period = examplesOfPeriod('down', false);
const resolved_by = 'ada@example.com';
const acknowledged_by = 'u_1FZ3ybQXhhsV3cDKtVoMjX';
const since = '2026-11-21T09:16:00.000Z';

const acknowledged = defineKind('monitor', record({ monitor, event, acknowledged_by: Type.String() }), {
  summary: 'A user acknowledged the open event of a monitor.',
  ...aboutEvent,
  full: open({ monitor: MonitorPart, event: EventPart, acknowledged_by: Type.String(), url }),
  eventExample: { ...examplePayload, event: period.payload, acknowledged_by },
  example: { ...exampleData, event: period.data, acknowledged_by },
  dataOf: ({ monitor, event, acknowledged_by }, context) => ({
    ...monitorPart(monitor, context),
    event: eventPart(event),
    acknowledged_by,
  }),
});

const resolved = defineKind('monitor', record({ monitor, event, resolved_by: Type.String() }), {
  summary: 'A user resolved the event of a monitor, which may still be down.',
  ...aboutEvent,
  full: open({ monitor: MonitorPart, event: EventPart, resolved_by: Type.String(), url }),
  eventExample: { ...examplePayload, event: period.payload, resolved_by },
  example: { ...exampleData, event: period.data, resolved_by },
  dataOf: ({ monitor, event, resolved_by }, context) => ({
    ...monitorPart(monitor, context),
    event: eventPart(event),
    resolved_by,
  }),
});

const flapping = defineKind('monitor', record({ monitor, is_flapping: Type.Boolean(), is_up: Type.Boolean() }), {
  summary: 'A monitor changes its state often, or has settled.',
  ...aboutMonitor,
  full: open({
    ...MonitorData.properties,
    is_flapping: Type.Boolean({ description: 'False: the monitor has settled.' }),
    is_up: Type.Boolean({ description: 'True if the monitor is up at the moment.' }),
  }),
  eventExample: { ...examplePayload, is_flapping: true, is_up: false },
  example: { ...exampleData, is_flapping: true, is_up: false },
  dataOf: ({ monitor, is_flapping, is_up }, context) => ({ ...monitorPart(monitor, context), is_flapping, is_up }),
});

const noData = defineKind('monitor', record({ monitor, since: instant, is_over: Type.Boolean() }), {
  summary: 'An active monitor has had no data for five minutes, or has data again.',
  ...aboutMonitor,
  full: open({
    ...MonitorData.properties,
    since: instantOf('Time since which there is no data.'),
    is_over: Type.Boolean({ description: 'True if there is data again.' }),
  }),
  eventExample: { ...examplePayload, since, is_over: false },
  example: { ...exampleData, since, is_over: false },
  dataOf: ({ monitor, since, is_over }, context) => ({ ...monitorPart(monitor, context), since, is_over }),
});

/** Kinds of events whose subject is a monitor. */
export const monitorKinds = {
  'monitor.down': ofPeriod('A monitor is down.', 'down'),
  'monitor.degraded': ofPeriod('A monitor is degraded.', 'degraded'),
  'monitor.up': ofPeriod('A monitor is up again; `event` is the period that ended.', 'down', true),
  'monitor.acknowledged': acknowledged,
  'monitor.resolved': resolved,
  'monitor.paused': ofMonitor('A monitor was paused; an open event has ended.'),
  'monitor.resumed': ofMonitor('A monitor was resumed.'),
  'monitor.archived': ofMonitor('A monitor was archived; an open event has ended.'),
  'monitor.deleted': ofMonitor('A monitor was deleted with its events.'),
  'monitor.flapping': flapping,
  'monitor.no_data': noData,
  'ssl.expiring': ofExpiry('A certificate expires soon; sent once per threshold and expiry.'),
  'domain.expiring': ofExpiry('A domain expires soon; sent once per threshold and expiry.'),
} as const;
