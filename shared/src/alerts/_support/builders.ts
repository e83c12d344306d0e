import type { AlertTrigger } from '../decision.js';
import type {
  AlertPolicy,
  ChannelChoice,
  Escalation,
  OnRecovery,
  QuietHours,
  Rule,
  Suppression,
  TimeWindow,
} from '../policy.js';

/** Tuesday, 2026-01-06T00:00Z: seconds of tests count from it. */
export const START_MS = Date.parse('2026-01-06T00:00:00Z');

/** Parts of a policy that differ from the defaults. */
interface PolicyParts {
  readonly rules?: readonly Rule[];
  readonly escalation?: Partial<Escalation>;
  readonly onRecovery?: Partial<OnRecovery>;
  readonly suppression?: Partial<Suppression>;
}

export function aPolicy({ rules = [aRule()], escalation, onRecovery, suppression }: PolicyParts = {}): AlertPolicy {
  return {
    id: 'ap_1',
    rules,
    escalation: { steps: [], repeat: 0, ack_timeout_sec: 0, ...escalation },
    on_recovery: { notify: true, delay_sec: 0, channels: [], ...onRecovery },
    suppression: {
      after_sec: 0,
      quiet_hours: [],
      flapping: 'notice',
      depends_on: [],
      no_data_after_sec: 900,
      ...suppression,
    },
  };
}

interface RuleParts {
  readonly channels?: readonly ChannelChoice[];
  readonly severity?: Rule['match']['severity'];
  readonly tags?: readonly string[];
  readonly window?: TimeWindow;
  readonly delay?: number;
  /** Seconds between repeats, and their number. */
  readonly repeat?: readonly [number, number];
}

export function aRule({
  channels = [channel('a')],
  severity = [],
  tags = [],
  window,
  delay = 0,
  repeat,
}: RuleParts = {}): Rule {
  const [interval, count] = repeat ?? [14_400, 10];
  return {
    match: { severity, tags_any: tags, time_window: window ?? null },
    channels,
    delay_sec: delay,
    repeat: { enabled: repeat !== undefined, interval_sec: interval, max_count: count },
  };
}

/** A channel, all of its recipients or some. */
export function channel(id: string, ...to: string[]): ChannelChoice {
  return { channel_id: id, to: to.length === 0 ? null : to };
}

/** A step of the escalation. */
export function step(afterSeconds: number, ...ids: string[]) {
  return { after_sec: afterSeconds, channels: ids.map((id) => channel(id)), schedule_id: null };
}

/** A window of every day in UTC. */
export function daily(start: string, end: string): TimeWindow {
  return { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], start, end, timezone: 'UTC' };
}

export function quiet(start: string, end: string, more: Partial<QuietHours> = {}): QuietHours {
  return { ...daily(start, end), below: 'critical', action: 'hold', ...more };
}

/** Trouble that began at a second. */
export function trouble(type: 'down' | 'degraded' | 'no_data', second: number, more: object = {}): AlertTrigger {
  const severity = type === 'down' ? 'critical' : 'warning';
  return { kind: 'trouble', type, severity, startedAtMs: START_MS + second * 1000, monitorEventId: 'mev_1', ...more };
}

export function over(
  second: number,
  resolution: Extract<AlertTrigger, { kind: 'over' }>['resolution'] = 'recovered',
): AlertTrigger {
  return { kind: 'over', resolution, atMs: START_MS + second * 1000 };
}

export const acknowledge: AlertTrigger = { kind: 'acknowledge', by: 'user', via: 'api' };
export const resolveByPerson: AlertTrigger = { kind: 'resolve', by: 'user' };
