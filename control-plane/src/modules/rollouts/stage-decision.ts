import type { NodeCounts, Rollout } from './rollout.js';

/** Present state of a running roll-out. */
export interface Situation
  extends Pick<Rollout, 'stages' | 'stage' | 'stageEndedAt' | 'maxFailures' | 'pauseS' | 'forgiven'> {
  readonly counts: NodeCounts;
  /** Waiting nodes that have a link and no other upgrade. */
  readonly available: number;
  readonly now: Date;
}

/** Next step of a running roll-out. */
export type Step =
  | { readonly kind: 'halt' | 'finish' | 'end-stage' | 'next-stage' | 'wait' }
  /** Requests the upgrade of so many more nodes. */
  | { readonly kind: 'request'; readonly nodes: number };

/**
 * Decides the next step of a running roll-out. At most as many upgrades run at the same time as may still fail, so that
 * never more than `maxFailures` nodes fail, however the running ones end.
 */
export function decideStep(situation: Situation): Step {
  const { stages, stage, stageEndedAt, maxFailures, pauseS, forgiven, counts, available, now } = situation;
  const { waiting, requested, done, failed } = counts;
  const attempted = requested + done + failed;
  const isLast = stage >= stages.length - 1;
  const failuresLeft = maxFailures - (failed - forgiven);
  if (failuresLeft <= 0) return { kind: 'halt' };
  const wanted = stageSize(waiting + attempted, stages[stage] ?? 100) - attempted;
  const nodes = Math.min(wanted, failuresLeft - requested, available);
  if (nodes > 0) return { kind: 'request', nodes };
  if (requested > 0) return { kind: 'wait' };
  // an earlier stage does not wait for nodes without a link, the last one does
  const isOver = wanted <= 0 || (!isLast && available === 0 && attempted > 0);
  if (!isOver) return { kind: 'wait' };
  if (isLast) return { kind: 'finish' };
  if (stageEndedAt === null) return { kind: 'end-stage' };
  return { kind: now.getTime() >= stageEndedAt.getTime() + pauseS * 1_000 ? 'next-stage' : 'wait' };
}

/** Number of nodes up to the end of a stage: a share of all, at least one. */
export function stageSize(nodes: number, percent: number): number {
  return Math.min(nodes, Math.ceil((nodes * percent) / 100));
}
