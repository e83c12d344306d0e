import type { EscalationState } from './alert.js';
import type { ChannelChoice, Escalation } from './policy.js';
import { recipients } from './recipients.js';

// Steps of a round are due at `fromMs` + `after_sec`. While they stand still no time passes for them:
//
//   fromMs ──── step 0 ───┤ pausedSinceMs ... goes on ├─── step 1 ──── step 2 = fromMs of the next round ────
//                          `fromMs` moves by this time

export interface DueStep {
  readonly step: number;
  readonly round: number;
  readonly choices: readonly ChannelChoice[];
}

/** Progress of an escalation that has not begun. */
export function beginEscalation(nowMs: number): EscalationState {
  return { fromMs: nowMs, step: 0, round: 0, pausedSinceMs: null };
}

/** Stops the time of the steps, if it runs. */
export function standStill(state: EscalationState, nowMs: number): EscalationState {
  return state.pausedSinceMs === null ? { ...state, pausedSinceMs: nowMs } : state;
}

/** Lets the time of the steps run again. */
export function goOn(state: EscalationState, nowMs: number): EscalationState {
  if (state.pausedSinceMs === null) return state;
  return { ...state, fromMs: state.fromMs + nowMs - state.pausedSinceMs, pausedSinceMs: null };
}

/** Instant at which the next step is due while the steps run; null if they stand still, or all is done. */
export function nextStepAt(state: EscalationState, { steps, repeat }: Escalation): number | null {
  const step = steps[state.step];
  if (step === undefined || state.pausedSinceMs !== null || state.round > repeat) return null;
  return state.fromMs + step.after_sec * 1000;
}

/** Takes the steps that are due at an instant, each once: those of one round at most, however late it is. */
export function takeSteps(
  state: EscalationState,
  escalation: Escalation,
  nowMs: number,
): { readonly state: EscalationState; readonly due: readonly DueStep[] } {
  const due: DueStep[] = [];
  let now = state;
  for (;;) {
    const step = escalation.steps[now.step];
    const atMs = nextStepAt(now, escalation);
    if (step === undefined || atMs === null || atMs > nowMs) return { state: now, due };
    due.push({ step: now.step, round: now.round, choices: recipients(step, nowMs) });
    const isLast = now.step + 1 >= escalation.steps.length;
    // a round begins when it can be seen to begin: the rounds that a late look has missed are not made up for
    now = isLast ? { ...now, fromMs: nowMs, step: 0, round: now.round + 1 } : { ...now, step: now.step + 1 };
  }
}
