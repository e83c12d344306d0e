import type { Static } from 'typebox';
import type { RolloutNode } from './rollout.js';
import type { CountedRollout } from './rollouts.js';
import type { RolloutNodeSchema, RolloutSchema } from './schema.js';

/** A roll-out as the API shows it. */
export function rolloutView(rollout: CountedRollout): Static<typeof RolloutSchema> {
  const { id, version, selection, stages, maxFailures, pauseS, state, stage, stageEndedAt, counts } = rollout;
  return {
    id,
    version,
    selection,
    stages: [...stages],
    max_failures: maxFailures,
    pause_s: pauseS,
    state,
    stage: stage + 1,
    stage_ended_at: stageEndedAt?.toISOString() ?? null,
    nodes: { total: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts },
    created_at: rollout.createdAt.toISOString(),
    ended_at: rollout.endedAt?.toISOString() ?? null,
  };
}

/** A node of a roll-out as the API shows it. */
export function rolloutNodeView(node: RolloutNode): Static<typeof RolloutNodeSchema> {
  const { nodeId, name, state, requestedAt, endedAt, error } = node;
  return {
    node_id: nodeId,
    name,
    state,
    requested_at: requestedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
    error,
  };
}
