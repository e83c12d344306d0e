import type { HeartbeatSchedule } from './heartbeat-schedule.js';

// State of a heartbeat, from pings and the passing of time. A ping is judged by its own time: one that arrives after
// the deadline finds the monitor down, noticed or not, so that events do not depend on when a judgment ran.
//
//            first ping              deadline passed, failure
//   new ────────────────────> up ──────────────────────────────> down
//    └──first ping a failure──────────────────────────────────────^ │
//                              ^────────────a good ping─────────────┘
//
// A ping of kind log, or with an ending that is unknown, changes nothing: it only passes the time until it arrived.
// A start begins a run and is a first ping, but it neither moves a deadline nor ends an outage; the end of the run does.
// The deadline is the earlier one of expected + grace and start + the longest a run may take, of each run that has not ended: a
// run that hangs is noticed although its successors start and end.
// Shown in addition to these: `started` until the end of the run that began last, `late` during the grace, `paused`.

/** Stored phases of a heartbeat. */
export const heartbeatPhases = ['new', 'up', 'down'] as const;
export type HeartbeatPhase = (typeof heartbeatPhases)[number];

/** States in responses. API specification 2.3, 3.3. */
export const heartbeatStates = ['new', 'up', 'started', 'late', 'down', 'paused'] as const;
export type ShownState = (typeof heartbeatStates)[number];

/** Kinds of pings; `exit` has the exit code of a command, `unknown` an address with another last word. */
export const pingKinds = ['success', 'start', 'fail', 'exit', 'log', 'unknown'] as const;
export type PingKind = (typeof pingKinds)[number];

/** True if pings of this kind change the state. */
export function hasEffect(kind: PingKind): boolean {
  return kind !== 'log' && kind !== 'unknown';
}

/** Run that has started and not ended. */
export interface Run {
  /** Milliseconds since the epoch, as all instants here. */
  readonly startedAtMs: number;
  /** Name that the caller gave the run, or null. */
  readonly rid: string | null;
}

export interface HeartbeatState {
  readonly phase: HeartbeatPhase;
  /** Expected time of the next ping; null if none is expected, or it is already known to be overdue. */
  readonly expectedAtMs: number | null;
  /** Run that began last; null if it has ended. */
  readonly run: Run | null;
  /** Runs that began before the last one and have not ended, the oldest first; at most 20. */
  readonly earlierRuns: readonly Run[];
  /** Start and reason of the outage; null in other phases. */
  readonly down: { readonly atMs: number; readonly reason: string } | null;
}

/** Rule that decides when a heartbeat is down. */
export interface Rule {
  readonly schedule: HeartbeatSchedule;
  readonly graceMs: number;
  /** Longest permitted run, in milliseconds; null for no limit. */
  readonly maxDurationMs: number | null;
}

/** Received ping. */
export interface Ping {
  /** Number among the pings of the monitor, from 1. */
  readonly seq: number;
  readonly kind: PingKind;
  readonly atMs: number;
  /** 0..255; null unless of kind `exit`. */
  readonly exitCode: number | null;
  /** True if the body lacked the required text. */
  readonly lacksText: boolean;
  readonly rid: string | null;
}

/** Effect of a step; effects are in the order in which they happened. */
export type HeartbeatEffect =
  | { readonly kind: 'down'; readonly atMs: number; readonly reason: string }
  | { readonly kind: 'up'; readonly atMs: number }
  /** Duration of the run that the ping ended. */
  | { readonly kind: 'measured'; readonly seq: number; readonly durationMs: number };

/** New state and its effects. */
export interface Step {
  readonly state: HeartbeatState;
  readonly effects: readonly HeartbeatEffect[];
}

const MAX_EARLIER_RUNS = 20;

/** State of a heartbeat before its first ping, which has no deadline. */
export const newHeartbeat: HeartbeatState = {
  phase: 'new',
  expectedAtMs: null,
  run: null,
  earlierRuns: [],
  down: null,
};

/** Instant after which the heartbeat is down unless a ping arrives; null if it is down, or waits for its first ping. */
export function alertAfterMs(state: HeartbeatState, rule: Rule): number | null {
  const { phase, expectedAtMs } = state;
  if (phase !== 'up' || expectedAtMs === null) return null;
  return Math.min(expectedAtMs + rule.graceMs, firstRunDeadline(state, rule));
}

/** Advances time to an instant. Pure; the same instant again changes nothing. */
export function passTime(state: HeartbeatState, rule: Rule, nowMs: number): Step {
  const dueMs = alertAfterMs(state, rule);
  if (dueMs === null || nowMs <= dueMs) return { state, effects: [] };
  const isRun = firstRunDeadline(state, rule) === dueMs;
  return fall(state, dueMs, isRun ? overranReason(rule) : missedReason(state.expectedAtMs ?? dueMs));
}

/** Takes a ping, after all earlier ones. */
export function takePing(before: HeartbeatState, rule: Rule, ping: Ping): Step {
  const passed = passTime(before, rule, ping.atMs);
  if (!hasEffect(ping.kind)) return passed;
  const { state, effects } = ping.kind === 'start' ? begin(passed.state, rule, ping) : end(passed.state, rule, ping);
  return { state, effects: [...passed.effects, ...effects] };
}

/** Takes pings in order, then advances time to an instant. */
export function catchUp(
  state: HeartbeatState,
  rule: Rule,
  { pings, nowMs }: { readonly pings: readonly Ping[]; readonly nowMs: number },
): Step {
  const all: HeartbeatEffect[] = [];
  let last = state;
  const note = (step: Step) => {
    last = step.state;
    all.push(...step.effects);
  };
  for (const ping of pings) note(takePing(last, rule, ping));
  note(passTime(last, rule, nowMs));
  return { state: last, effects: all };
}

/** State in which no ping is expected; the last outage and run are dropped. */
export function stopped({ phase }: HeartbeatState): HeartbeatState {
  return { ...newHeartbeat, phase: phase === 'new' ? 'new' : 'up' };
}

/** Restarts the wait at an instant, after a pause or with another rule. A heartbeat that is down stays down until a ping arrives. */
export function waitingFrom(state: HeartbeatState, { schedule }: Rule, atMs: number): HeartbeatState {
  return state.phase === 'up' ? { ...state, expectedAtMs: schedule.expectedAfter(atMs) } : state;
}

/** State in responses. */
export function shownState({ phase, expectedAtMs, run }: HeartbeatState, isActive: boolean, nowMs: number): ShownState {
  if (!isActive) return 'paused';
  if (phase !== 'up') return phase;
  if (run !== null) return 'started';
  return expectedAtMs !== null && nowMs > expectedAtMs ? 'late' : 'up';
}

function begin(state: HeartbeatState, rule: Rule, { atMs, rid }: Ping): Step {
  const runs = { run: { startedAtMs: atMs, rid }, earlierRuns: earlierThan(rid, state, rule) };
  if (state.phase !== 'new') return { state: { ...state, ...runs }, effects: [] };
  return { state: { ...runs, phase: 'up', expectedAtMs: rule.schedule.expectedAfter(atMs), down: null }, effects: [] };
}

/**
 * Runs to keep when another one begins. One of the same name is begun again. Of runs without names the oldest is kept, which is the
 * first to take too long. Of too many runs the newest goes for the same reason; where a run may take any time, the oldest, which may
 * have died.
 */
function earlierThan(rid: string | null, { run, earlierRuns }: HeartbeatState, rule: Rule): readonly Run[] {
  const open = run === null ? earlierRuns : [...earlierRuns, run];
  const oldestNameless = open.find((one) => one.rid === null);
  const kept = open.filter((one) => one.rid !== rid || (rid === null && one === oldestNameless));
  return rule.maxDurationMs === null ? kept.slice(-MAX_EARLIER_RUNS) : kept.slice(0, MAX_EARLIER_RUNS);
}

function end(state: HeartbeatState, rule: Rule, ping: Ping): Step {
  const { atMs, seq } = ping;
  const ended = endedBy(ping, state);
  const durationMs = ended === null ? null : atMs - ended.startedAtMs;
  const measured: HeartbeatEffect[] = durationMs === null ? [] : [{ kind: 'measured', seq, durationMs }];
  const left = keepRuns(state, (run) => run !== ended);
  const reason = failureOf(ping, rule, durationMs);
  if (reason !== null) {
    const { state: next, effects } = fall(left, atMs, reason);
    return { state: next, effects: [...measured, ...effects] };
  }
  const next: HeartbeatState = {
    // runs that took too long have been notified: it cannot be down for those again
    ...keepRuns(left, (run) => atMs <= runDeadline(run, rule)),
    phase: 'up',
    expectedAtMs: rule.schedule.expectedAfter(atMs),
    down: null,
  };
  return { state: next, effects: [...measured, { kind: 'up', atMs }] };
}

/** Run that a ping ends: the one of its name, or without a name the one that began last. */
function endedBy({ rid }: Ping, { run, earlierRuns }: HeartbeatState): Run | null {
  if (rid === null) return run ?? earlierRuns.at(-1) ?? null;
  return run?.rid === rid ? run : (earlierRuns.find((one) => one.rid === rid) ?? null);
}

function keepRuns(state: HeartbeatState, isKept: (run: Run) => boolean): HeartbeatState {
  const { run, earlierRuns } = state;
  return { ...state, run: run !== null && isKept(run) ? run : null, earlierRuns: earlierRuns.filter(isKept) };
}

/** State after a failure. An outage has one begin and one reason: a further failure changes nothing. */
function fall(state: HeartbeatState, atMs: number, reason: string): Step {
  if (state.phase === 'down') return { state, effects: [] };
  const next: HeartbeatState = { ...state, phase: 'down', expectedAtMs: null, down: { atMs, reason } };
  return { state: next, effects: [{ kind: 'down', atMs, reason }] };
}

function firstRunDeadline({ run, earlierRuns }: HeartbeatState, rule: Rule): number {
  const open = run === null ? earlierRuns : [...earlierRuns, run];
  return Math.min(...open.map((one) => runDeadline(one, rule)));
}

function runDeadline({ startedAtMs }: Run, { maxDurationMs }: Rule): number {
  return maxDurationMs === null ? Number.POSITIVE_INFINITY : startedAtMs + maxDurationMs;
}

function failureOf({ kind, exitCode, lacksText }: Ping, rule: Rule, durationMs: number | null): string | null {
  if (kind === 'fail') return 'it reported a failure';
  if (exitCode !== null && exitCode !== 0) return `it ended with exit code ${exitCode}`;
  if (lacksText) return 'its message lacks the text it must contain';
  const isTooLong = durationMs !== null && rule.maxDurationMs !== null && durationMs > rule.maxDurationMs;
  return isTooLong ? overranReason(rule) : null;
}

function missedReason(expectedAtMs: number): string {
  return `no ping came that was expected at ${new Date(expectedAtMs).toISOString()}`;
}

function overranReason({ maxDurationMs }: Rule): string {
  return `a run took longer than ${(maxDurationMs ?? 0) / 1_000} s`;
}
