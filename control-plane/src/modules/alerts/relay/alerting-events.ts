import type { AlertState } from '@vantage/shared/alerts/alert.js';
import type { AlertTrigger } from '@vantage/shared/alerts/decision.js';
import type { AlertSeverity } from '@vantage/shared/alerts/policy.js';
import type { EventOf } from '../../../events/index.js';

/** Kinds of events of monitors that change alerts. */
export const alertingKinds = [
  'monitor.down',
  'monitor.degraded',
  'monitor.up',
  'monitor.acknowledged',
  'monitor.resolved',
  'monitor.paused',
  'monitor.archived',
  'monitor.deleted',
  'monitor.flapping',
  'monitor.no_data',
] as const;

type EventPart<E> =
  E extends EventOf<(typeof alertingKinds)[number]> ? Pick<E, 'kind' | 'subject' | 'isTest' | 'at' | 'payload'> : never;

/** Event of a monitor that changes alerts, as far as it matters to them. */
export type AlertingEvent = EventPart<EventOf<(typeof alertingKinds)[number]>>;

/** Severity of alerts by the type of their trouble. */
export type SeverityByType = Readonly<Record<'down' | 'degraded', AlertSeverity>>;

/** Severity of an alert about a monitor without data. */
const NO_DATA_SEVERITY: AlertSeverity = 'warning';

const LOOK: AlertTrigger = { kind: 'look' };

/** Trigger that an event is for one policy of its monitor. `alert`: its alert that is not resolved; null if there is none. */
export function triggerOf(event: AlertingEvent, alert: AlertState | null, severity: SeverityByType): AlertTrigger {
  switch (event.kind) {
    case 'monitor.down':
    case 'monitor.degraded': {
      const { id, type, started_at: startedAt } = event.payload.event;
      const startedAtMs = Date.parse(startedAt);
      return { kind: 'trouble', type, severity: severity[type], startedAtMs, monitorEventId: id };
    }
    case 'monitor.up':
      return {
        kind: 'over',
        resolution: 'recovered',
        atMs: Date.parse(event.payload.event.ended_at ?? '') || atMs(event),
      };
    case 'monitor.acknowledged':
      return { kind: 'acknowledge', by: event.payload.acknowledged_by, via: 'monitor_event' };
    case 'monitor.resolved':
      return { kind: 'resolve', by: event.payload.resolved_by };
    case 'monitor.paused':
      return { kind: 'over', resolution: 'paused', atMs: atMs(event) };
    case 'monitor.archived':
      return { kind: 'over', resolution: 'archived', atMs: atMs(event) };
    case 'monitor.deleted':
      return { kind: 'over', resolution: 'deleted', atMs: atMs(event) };
    case 'monitor.flapping':
      return LOOK;
    case 'monitor.no_data':
      return noDataTrigger(event.payload, alert, atMs(event));
  }
}

/** True if an event opens alerts where there are none. */
export function isTrouble(event: AlertingEvent): boolean {
  return (
    event.kind === 'monitor.down' ||
    event.kind === 'monitor.degraded' ||
    (event.kind === 'monitor.no_data' && !event.payload.is_over)
  );
}

/** True if a user's resolution of an alert of the monitor counts no longer: the monitor is up, or no one looks at it. */
export function endsResolution({ kind }: AlertingEvent): boolean {
  return ['monitor.up', 'monitor.paused', 'monitor.archived', 'monitor.deleted'].includes(kind);
}

/** An alert that is about more than missing data outlasts it: its event is still open. */
function noDataTrigger(
  { since, is_over: isOver }: EventOf<'monitor.no_data'>['payload'],
  alert: AlertState | null,
  nowMs: number,
): AlertTrigger {
  if (alert !== null && alert.type !== 'no_data') return LOOK;
  if (isOver) return { kind: 'over', resolution: 'recovered', atMs: nowMs };
  const startedAtMs = Date.parse(since);
  return { kind: 'trouble', type: 'no_data', severity: NO_DATA_SEVERITY, startedAtMs, monitorEventId: null };
}

function atMs({ at }: AlertingEvent): number {
  return at.getTime();
}
