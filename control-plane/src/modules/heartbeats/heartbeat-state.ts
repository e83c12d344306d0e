import type { HeartbeatSchedule } from './heartbeat-schedule.js';

// What is known of a heartbeat, after pings and the passing of time. A ping is judged by its own time: one that comes after
// the deadline finds the monitor down, noticed or not, so that episodes do not depend on when anybody looked.
//
//            first ping              deadline passed, failure
//   new ────────────────────> up ──────────────────────────────> down
//    └──first ping a failure──────────────────────────────────────^ │
//                              ^────────────a good ping─────────────┘
//
// A start begins a run and is a first ping, but it neither moves a deadline nor ends an outage; the end of the run does.
// The deadline is the earlier one of expected + grace and start + the longest a run may take.
// Shown beside these: `started` while a run goes on, `late` while the grace does, `paused`.

/** What is stored of where a heartbeat stands. */
export const heartbeatPhases = ['new', 'up', 'down'] as const;
export type HeartbeatPhase = (typeof heartbeatPhases)[number];

/** States as they are shown. API specification 2.3, 3.3. */
export const heartbeatStates = ['new', 'up', 'started', 'late', 'down', 'paused'] as const;
export type ShownState = (typeof heartbeatStates)[number];

/** Kinds of pings; `exit` has the exit code of a command. */
export const pingKinds = ['success', 'start', 'fail', 'exit'] as const;
export type PingKind = (typeof pingKinds)[number];

/** A run that has started and not ended. */
export interface Run {
  /** Milliseconds since the epoch, as all instants here. */
  readonly startedAtMs: number;
  /** What the caller calls it; null: nothing. */
  readonly rid: string | null;
}

/** Where a heartbeat stands. */
export interface HeartbeatState {
  readonly phase: HeartbeatPhase;
  /** When the next ping is expected; null: none is, or it is overdue and known. */
  readonly expectedAtMs: number | null;
  readonly run: Run | null;
  /** Since when it is down and why; null in other phases. */
  readonly down: { readonly atMs: number; readonly reason: string } | null;
}

/** What decides when a heartbeat is down. */
export interface Rule {
  readonly schedule: HeartbeatSchedule;
  readonly graceMs: number;
  /** How long a run may take; null: as long as it likes. */
  readonly maxDurationMs: number | null;
}

/** A ping that came. */
export interface Ping {
  /** Of this monitor's pings, from 1. */
  readonly seq: number;
  readonly kind: PingKind;
  readonly atMs: number;
  /** 0..255; null unless of kind `exit`. */
  readonly exitCode: number | null;
  /** The body did not contain what it must. */
  readonly lacksText: boolean;
  readonly rid: string | null;
}

/** What a step means, in the order in which it happened. */
export type HeartbeatEffect =
  | { readonly kind: 'down'; readonly atMs: number; readonly reason: string }
  | { readonly kind: 'up'; readonly atMs: number }
  /** The run that this ping ended took so long. */
  | { readonly kind: 'measured'; readonly seq: number; readonly durationMs: number };

/** A new state and what it means. */
export interface Step {
  readonly state: HeartbeatState;
  readonly effects: readonly HeartbeatEffect[];
}

/** No ping has come yet, and none is missed. */
export const newHeartbeat: HeartbeatState = { phase: 'new', expectedAtMs: null, run: null, down: null };

/** After this instant it is down unless a ping comes; null: it is down, or waits for the first one. */
export function alertAfterMs({ phase, expectedAtMs, run }: HeartbeatState, rule: Rule): number | null {
  if (phase !== 'up' || expectedAtMs === null) return null;
  return Math.min(expectedAtMs + rule.graceMs, runDeadline(run, rule));
}

/** Lets time pass until an instant. Pure; the same instant again changes nothing. */
export function passTime(state: HeartbeatState, rule: Rule, nowMs: number): Step {
  const dueMs = alertAfterMs(state, rule);
  if (dueMs === null || nowMs <= dueMs) return { state, effects: [] };
  const isRun = runDeadline(state.run, rule) === dueMs;
  return fall(state, dueMs, isRun ? overranReason(rule) : missedReason(state.expectedAtMs ?? dueMs));
}

/** Takes a ping, after all earlier ones. */
export function takePing(before: HeartbeatState, rule: Rule, ping: Ping): Step {
  const passed = passTime(before, rule, ping.atMs);
  const { state, effects } = ping.kind === 'start' ? begin(passed.state, rule, ping) : end(passed.state, rule, ping);
  return { state, effects: [...passed.effects, ...effects] };
}

/** Takes pings in their order, and lets time pass until an instant. */
export function catchUp(
  state: HeartbeatState,
  rule: Rule,
  { pings, nowMs }: { readonly pings: readonly Ping[]; readonly nowMs: number },
): Step {
  let last: Step = { state, effects: [] };
  for (const ping of pings) last = followedBy(last, takePing(last.state, rule, ping));
  return followedBy(last, passTime(last.state, rule, nowMs));
}

/** Nobody waits any more: what is known of the last outage and run is forgotten. */
export function stopped({ phase }: HeartbeatState): HeartbeatState {
  return { ...newHeartbeat, phase: phase === 'new' ? 'new' : 'up' };
}

/** Waits anew from an instant on: after a pause, or by another rule. What is down stays so until a ping comes. */
export function waitingFrom(state: HeartbeatState, { schedule }: Rule, atMs: number): HeartbeatState {
  return state.phase === 'up' ? { ...state, expectedAtMs: schedule.expectedAfter(atMs) } : state;
}

/** The state as people see it. */
export function shownState({ phase, expectedAtMs, run }: HeartbeatState, isActive: boolean, nowMs: number): ShownState {
  if (!isActive) return 'paused';
  if (phase !== 'up') return phase;
  if (run !== null) return 'started';
  return expectedAtMs !== null && nowMs > expectedAtMs ? 'late' : 'up';
}

function begin(state: HeartbeatState, { schedule }: Rule, { atMs, rid }: Ping): Step {
  const run = { startedAtMs: atMs, rid };
  if (state.phase !== 'new') return { state: { ...state, run }, effects: [] };
  return { state: { phase: 'up', expectedAtMs: schedule.expectedAfter(atMs), run, down: null }, effects: [] };
}

function end(state: HeartbeatState, rule: Rule, ping: Ping): Step {
  const { atMs, seq } = ping;
  const isEnded = state.run !== null && (ping.rid === null || ping.rid === state.run.rid);
  const durationMs = isEnded && state.run !== null ? atMs - state.run.startedAtMs : null;
  const measured: HeartbeatEffect[] = durationMs === null ? [] : [{ kind: 'measured', seq, durationMs }];
  const run = isEnded ? null : state.run;
  const reason = failureOf(ping, rule, durationMs);
  if (reason !== null) {
    const { state: next, effects } = fall({ ...state, run }, atMs, reason);
    return { state: next, effects: [...measured, ...effects] };
  }
  const next: HeartbeatState = {
    phase: 'up',
    expectedAtMs: rule.schedule.expectedAfter(atMs),
    // another run that takes too long has been told: it cannot be down for that again
    run: atMs > runDeadline(run, rule) ? null : run,
    down: null,
  };
  return { state: next, effects: [...measured, { kind: 'up', atMs }] };
}

/** An outage has one beginning and one reason: what fails again is no news. */
function fall(state: HeartbeatState, atMs: number, reason: string): Step {
  if (state.phase === 'down') return { state, effects: [] };
  const next: HeartbeatState = { ...state, phase: 'down', expectedAtMs: null, down: { atMs, reason } };
  return { state: next, effects: [{ kind: 'down', atMs, reason }] };
}

function followedBy(first: Step, { state, effects }: Step): Step {
  return { state, effects: [...first.effects, ...effects] };
}

function runDeadline(run: Run | null, { maxDurationMs }: Rule): number {
  if (run === null || maxDurationMs === null) return Number.POSITIVE_INFINITY;
  return run.startedAtMs + maxDurationMs;
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
