import fc from 'fast-check';
import type { Resolution } from '../alert.js';
import type { AlertContext, AlertTrigger } from '../decision.js';
import type { AlertPolicy, AlertSeverity, AlertType, ChannelChoice, QuietHours, Rule, TimeWindow } from '../policy.js';
import { acknowledge, aPolicy, aRule, channel, daily, quiet, resolveByPerson, START_MS } from './builders.js';

// Random histories of a monitor and of what is around its alert. All times are multiples of a tick.

export const TICK_MS = 10_000;
export const TICKS = 240;
export const monitorTags = ['t'];

/** Hold from one tick up to and without another one. */
export interface HoldTime {
  readonly hold: keyof AlertContext;
  readonly from: number;
  readonly to: number;
  /** True if its begin is known to the engine before. */
  readonly isPlanned: boolean;
  /** True if the engine knows its end when it begins. */
  readonly isAnnounced: boolean;
}

export interface History {
  /** Triggers by tick. */
  readonly triggers: ReadonlyMap<number, AlertTrigger>;
  readonly holds: readonly HoldTime[];
  /** Policy from a tick on, or null. */
  readonly policies: readonly { readonly from: number; readonly policy: AlertPolicy | null }[];
}

export function instantOf(tick: number): number {
  return START_MS + tick * TICK_MS;
}

export function policyAt({ policies }: History, tick: number): AlertPolicy | null {
  return policies.findLast(({ from }) => from <= tick)?.policy ?? null;
}

export function holdsAt({ holds }: History, tick: number): readonly HoldTime[] {
  return holds.filter(({ from, to }) => from <= tick && tick < to);
}

/** Holds of a tick as the engine knows them. */
export function contextAt(history: History, tick: number): AlertContext {
  const context: { -readonly [H in keyof AlertContext]: AlertContext[H] } = {};
  for (const { hold, to, isAnnounced } of holdsAt(history, tick)) {
    const known = context[hold];
    // of two that overlap the later end counts; it is unknown if one of them is
    const isKnown = isAnnounced && known?.untilMs !== null;
    context[hold] = { untilMs: isKnown ? Math.max(instantOf(to), known?.untilMs ?? 0) : null };
  }
  return context;
}

/** Start of the next hold that the engine knows before. */
export function nextHoldAt({ holds }: History, tick: number): number | null {
  const begins = holds.filter(({ from, isPlanned }) => isPlanned && from > tick).map(({ from }) => from);
  return begins.length === 0 ? null : instantOf(Math.min(...begins));
}

/** True if the engine is notified of a change at a tick. */
export function isTouched({ triggers, holds, policies }: History, tick: number): boolean {
  const holdChanges = holds.some(
    ({ from, to, isPlanned, isAnnounced }) => (from === tick && !isPlanned) || (to === tick && !isAnnounced),
  );
  return triggers.has(tick) || holdChanges || policies.some(({ from }) => from === tick);
}

const ticks = fc.integer({ min: 0, max: TICKS - 1 });
const choices = fc
  .record({ id: fc.constantFrom('a', 'b', 'c'), to: fc.constantFrom([], ['x'], ['x', 'y'], ['y']) })
  .map(({ id, to }): ChannelChoice => channel(id, ...to));
const someChoices = (minLength: number) =>
  fc.uniqueArray(choices, { minLength, maxLength: 2, selector: ({ channel_id: id }) => id });
const windows = fc
  .record({ start: fc.integer({ min: 0, max: 39 }), minutes: fc.integer({ min: 1, max: 20 }) })
  .map(({ start, minutes }): TimeWindow => daily(minuteOf(start), minuteOf(start + minutes)));
const quietHours = fc
  .record({
    window: windows,
    below: fc.constantFrom<QuietHours['below']>('warning', 'critical'),
    action: fc.constantFrom<QuietHours['action']>('hold', 'drop'),
  })
  .map(({ window, ...more }): QuietHours => quiet(window.start, window.end, more));

const rules = fc
  .record({
    channels: someChoices(1),
    severity: fc.constantFrom<readonly AlertSeverity[]>([], [], ['critical'], ['warning']),
    tags: fc.constantFrom<readonly string[]>([], [], ['t', 'u'], ['u']),
    window: fc.option(windows, { freq: 2 }),
    delay: fc.constantFrom(0, 0, 20, 90),
    repeat: fc.option(fc.constantFrom<readonly [number, number]>([60, 2], [300, 9])),
  })
  .map(({ window, repeat, ...more }): Rule => {
    return aRule({ ...more, ...(window && { window }), ...(repeat && { repeat }) });
  });

const anyPolicy = fc
  .record({
    rules: fc.array(rules, { minLength: 1, maxLength: 3 }),
    steps: fc.array(someChoices(1), { maxLength: 2 }),
    repeat: fc.constantFrom(0, 0, 2),
    ackTimeOut: fc.constantFrom(0, 200),
    onRecovery: fc.record({
      notify: fc.constantFrom(true, true, true, false),
      delay_sec: fc.constantFrom(0, 0, 60),
      channels: fc.constantFrom([], [channel('d')], [channel('a')]),
    }),
    suppression: fc.record({
      after_sec: fc.constantFrom(0, 0, 50),
      quiet_hours: fc.array(quietHours, { maxLength: 2 }),
      flapping: fc.constantFrom<AlertPolicy['suppression']['flapping']>('notice', 'all', 'none'),
      depends_on: fc.constantFrom<readonly string[]>([], [], ['mon_1'], ['mon_2']),
      no_data_after_sec: fc.constantFrom(0, 100),
    }),
  })
  .map(({ rules, steps, repeat, ackTimeOut, onRecovery, suppression }): AlertPolicy => {
    const escalation = {
      steps: steps.map((channels, index) => ({ after_sec: 60 + 100 * index, channels, schedule_id: null })),
      repeat,
      ack_timeout_sec: ackTimeOut,
    };
    return aPolicy({ rules, escalation, onRecovery, suppression });
  });

type SomeTrigger =
  | { readonly kind: 'trouble'; readonly type: AlertType; readonly ago: number }
  | {
      readonly kind: 'over';
      readonly resolution: Exclude<Resolution, 'person' | 'policy_removed'>;
      readonly ago: number;
    }
  | { readonly kind: 'acknowledge' | 'resolve' };

const someTrigger: fc.Arbitrary<SomeTrigger> = fc.oneof<fc.MaybeWeightedArbitrary<SomeTrigger>[]>(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('trouble' as const), type: typesOf(), ago: fc.constantFrom(0, 0, 2, 12) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('over' as const), resolution: endsOf(), ago: fc.constantFrom(0, 0, 3) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'acknowledge' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'resolve' } as const) },
);

const holdTimes = fc
  .record({
    hold: fc.constantFrom<keyof AlertContext>('silence', 'maintenance', 'dependency', 'flapping'),
    from: ticks,
    length: fc.integer({ min: 1, max: 60 }),
    isPlanned: fc.boolean(),
    isAnnounced: fc.boolean(),
  })
  .map(({ length, ...more }): HoldTime => ({ ...more, to: more.from + length }));

/** Histories of a monitor with one policy, which may change or go for a time. */
export const anyHistory = fc
  .record({
    first: anyPolicy,
    changes: fc.array(fc.tuple(ticks, fc.option(anyPolicy, { freq: 2 })), { maxLength: 2 }),
    triggers: fc.array(fc.tuple(ticks, someTrigger), { minLength: 1, maxLength: 20 }),
    holds: fc.array(holdTimes, { maxLength: 3 }),
  })
  .map(({ first, changes, triggers, holds }): History => {
    const later = changes.map(([from, policy]) => ({ from, policy })).sort((a, b) => a.from - b.from);
    return {
      triggers: new Map(triggers.map(([tick, one]) => [tick, triggerOf(tick, one)])),
      holds,
      policies: [{ from: 0, policy: first }, ...later],
    };
  });

function triggerOf(tick: number, triggers: SomeTrigger): AlertTrigger {
  switch (triggers.kind) {
    case 'trouble': {
      const severity = triggers.type === 'down' ? 'critical' : 'warning';
      return { ...triggers, severity, startedAtMs: instantOf(tick - triggers.ago), monitorEventId: 'mev_1' };
    }
    case 'over':
      return { ...triggers, atMs: instantOf(tick - triggers.ago) };
    case 'acknowledge':
      return acknowledge;
    case 'resolve':
      return resolveByPerson;
  }
}

function typesOf() {
  return fc.constantFrom<AlertType>('down', 'down', 'degraded', 'no_data');
}

function endsOf() {
  return fc.constantFrom<Exclude<Resolution, 'person' | 'policy_removed'>>(
    'recovered',
    'recovered',
    'recovered',
    'paused',
    'archived',
    'deleted',
  );
}

function minuteOf(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
