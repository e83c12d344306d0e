// Verdict of one node from its own checks of one monitor. Pure, because the agent runs it, online or not.
//
//   undecided ──good checks in a row reach consecutiveOk──> ok ──bad checks in a row reach consecutiveFail──> degraded or failing, by how
//       └──bad ones reach consecutiveFail──────────────────┐   <──better checks in a row reach consecutiveOk──  bad every one of them was
//                                                          └──> degraded or failing
//
// A check that could not be made says nothing about its target: it is counted as seen, and changes no verdict.

/** Ways in which a check ends: `failed` when it, or an assertion of severity down, failed; `degraded` when only a lesser assertion did. */
export const checkOutcomes = ['ok', 'degraded', 'failed'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

/** A node's verdict on a monitor once it has decided. */
export type NodeVerdict = 'ok' | 'degraded' | 'failing';
/** A node's verdict on a monitor, or `undecided` before its first decision; `undecided` is not a vote. */
export type NodeWord = NodeVerdict | 'undecided';

/** Checks in a row that change a verdict, 1 and above. */
export interface StreakRule {
  readonly consecutiveFail: number;
  readonly consecutiveOk: number;
}

/** Checks in a row, up to the newest, that were at least so bad, or better than that. One of the two is 0. */
interface Streak {
  readonly bad: number;
  readonly better: number;
}

/** State of a monitor that is kept between two checks. */
export interface NodeState {
  readonly verdict: NodeWord;
  /** Slot of the check that led to the current verdict; null before the first. */
  readonly since: number | null;
  /** Slot of the newest check; results for it and for earlier slots change nothing. Null before the first. */
  readonly slot: number | null;
  readonly degraded: Streak;
  readonly failed: Streak;
}

/** State before the first check. */
export const unchecked: NodeState = {
  verdict: 'undecided',
  since: null,
  slot: null,
  degraded: { bad: 0, better: 0 },
  failed: { bad: 0, better: 0 },
};

/** The state after a check; the very same when its slot is not newer: what comes late is history. */
export function reduceCheck(
  state: NodeState,
  check: { readonly slot: number; readonly outcome: CheckOutcome },
  rule: StreakRule,
): NodeState {
  if (state.slot !== null && check.slot <= state.slot) return state;
  const degraded = extend(state.degraded, check.outcome !== 'ok');
  const failed = extend(state.failed, check.outcome === 'failed');
  const isFailing = holds(state.verdict === 'failing', failed, rule);
  const isDegraded = holds(state.verdict === 'degraded' || state.verdict === 'failing', degraded, rule);
  const isDecided = state.verdict !== 'undecided' || degraded.better >= rule.consecutiveOk;
  const verdict = isFailing ? 'failing' : isDegraded ? 'degraded' : isDecided ? 'ok' : 'undecided';
  const since = verdict === state.verdict ? (state.since ?? check.slot) : check.slot;
  return { verdict, since, slot: check.slot, degraded, failed };
}

/** State after a check that could not be made: only its slot changes. */
export function passCheck(state: NodeState, slot: number): NodeState {
  if (state.slot !== null && slot <= state.slot) return state;
  return { ...state, since: state.since ?? slot, slot };
}

/** Length of the current run of checks that are as bad as the newest, or as good. */
export function streakOf({ degraded, failed }: NodeState): number {
  return failed.bad || degraded.bad || degraded.better;
}

/** True if the newest check was degraded or failed. */
export function isBad({ degraded }: NodeState): boolean {
  return degraded.bad > 0;
}

function extend({ bad, better }: Streak, isBad: boolean): Streak {
  return isBad ? { bad: bad + 1, better: 0 } : { bad: 0, better: better + 1 };
}

function holds(didHold: boolean, streak: Streak, rule: StreakRule): boolean {
  return didHold ? streak.better < rule.consecutiveOk : streak.bad >= rule.consecutiveFail;
}
