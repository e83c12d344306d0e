import type { AlertState } from './alert.js';

/** State in which these channels know nothing, and are due to be notified. */
export function forgetNotified(state: AlertState, channels: readonly string[], nowMs: number): AlertState {
  const lost = state.told.filter(({ choice }) => channels.includes(choice.channel_id));
  // a step of the escalation is not taken again: its channels are planned like those of a rule
  const plans = lost.map(({ choice, rule }) => ({ choice, atMs: nowMs, rule }));
  return {
    ...state,
    told: state.told.filter((notified) => !lost.includes(notified)),
    planned: [...state.planned, ...plans],
  };
}
