// What one node makes of its own checks of one monitor. Pure, for the agent runs it, online or not.
//
//   ok ──bad checks in a row reach consecutiveFail──> degraded or failing, by how bad every one of them was
//      <──better checks in a row reach consecutiveOk──

/** How one check ended: `failed` when it, or an assertion of severity down, failed; `degraded` when only a lesser assertion did. */
export type CheckOutcome = 'ok' | 'degraded' | 'failed';

/** What a node says of a monitor. */
export type NodeVerdict = 'ok' | 'degraded' | 'failing';

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

/** What is kept between two checks of a monitor. */
export interface NodeState {
  readonly verdict: NodeVerdict;
  /** Of the check that made the verdict what it is; null before the first. */
  readonly since: number | null;
  /** Of the newest check; results of it and of earlier ones change nothing. Null before the first. */
  readonly slot: number | null;
  readonly degraded: Streak;
  readonly failed: Streak;
}

/** Before the first check. */
export const unchecked: NodeState = {
  verdict: 'ok',
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
  const isDegraded = holds(state.verdict !== 'ok', degraded, rule);
  const verdict = isFailing ? 'failing' : isDegraded ? 'degraded' : 'ok';
  const since = verdict === state.verdict ? (state.since ?? check.slot) : check.slot;
  return { verdict, since, slot: check.slot, degraded, failed };
}

/** How long the present run of checks is that are as bad as the newest, or as good. */
export function streakOf({ degraded, failed }: NodeState): number {
  return failed.bad || degraded.bad || degraded.better;
}

/** Whether the newest check was not well. */
export function isBad({ degraded }: NodeState): boolean {
  return degraded.bad > 0;
}

function extend({ bad, better }: Streak, isBad: boolean): Streak {
  return isBad ? { bad: bad + 1, better: 0 } : { bad: 0, better: better + 1 };
}

function holds(didHold: boolean, streak: Streak, rule: StreakRule): boolean {
  return didHold ? streak.better < rule.consecutiveOk : streak.bad >= rule.consecutiveFail;
}
