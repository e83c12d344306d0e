import { type NodeState, unchecked } from '@vantage/shared/monitor-state/node-reducer.js';

const verdicts: readonly NodeState['verdict'][] = ['ok', 'degraded', 'failing', 'undecided'];

/** The stored state; `unchecked` if it is invalid, so that the next checks decide. */
export function parseNodeState(json: string): NodeState {
  try {
    const { verdict, since, slot, degraded, failed } = JSON.parse(json) as Partial<NodeState>;
    const known = verdicts.find((name) => name === verdict);
    if (known === undefined || !isInstant(since) || !isInstant(slot) || !isStreak(degraded) || !isStreak(failed))
      return unchecked;
    return { verdict: known, since, slot, degraded, failed };
  } catch {
    return unchecked;
  }
}

function isInstant(value: unknown): value is number | null {
  return value === null || Number.isFinite(value);
}

function isStreak(value: unknown): value is NodeState['failed'] {
  if (typeof value !== 'object' || value === null || !('bad' in value) || !('better' in value)) return false;
  return Number.isSafeInteger(value.bad) && Number.isSafeInteger(value.better);
}
