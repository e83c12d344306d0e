import type { NodeSelection } from '../nodes/index.js';

//   running ──pause──> paused ──resume──> running
//      │ max_failures nodes have failed
//      ├──> halted ──resume, its failures are forgiven──> running
//      ├──> done, after the last stage
//      └──abort, also from paused and halted──> aborted

/** States of a roll-out. */
export const rolloutStates = ['running', 'paused', 'halted', 'aborted', 'done'] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** States of a node in a roll-out, each entered once. */
export const rolloutNodeStates = ['waiting', 'requested', 'done', 'failed', 'skipped'] as const;
export type RolloutNodeState = (typeof rolloutNodeStates)[number];

export type NodeCounts = Readonly<Record<RolloutNodeState, number>>;

/** Fields of a selection that choose nodes for a roll-out. */
export type RolloutSelection = Omit<NodeSelection, 'owned' | 'limit' | 'spread'>;

/** Order for a roll-out. */
export interface RolloutOrder {
  readonly version: string;
  readonly selection: RolloutSelection;
  /** Shares of the nodes that are upgraded when each stage ends, in percent, ascending. */
  readonly stages: readonly number[];
  /** Number of failed nodes at which it halts. */
  readonly maxFailures: number;
  /** Pause between two stages, in seconds. */
  readonly pauseS: number;
}

/** A stored roll-out. */
export interface Rollout extends RolloutOrder {
  readonly id: string;
  readonly state: RolloutState;
  /** Index of the present stage. */
  readonly stage: number;
  /** End of the present stage; null if it runs. */
  readonly stageEndedAt: Date | null;
  /** Failures that do not count any more. */
  readonly forgiven: number;
  readonly createdAt: Date;
  /** Null if it has not ended. */
  readonly endedAt: Date | null;
}

/** A node of a roll-out. */
export interface RolloutNode {
  readonly nodeId: string;
  /** Null if the node was deleted for good. */
  readonly name: string | null;
  readonly state: RolloutNodeState;
  readonly requestedAt: Date | null;
  readonly endedAt: Date | null;
  /** Reason why it failed or was skipped. */
  readonly error: string | null;
}
