import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { UPGRADE_VERSION_LENGTH, UPGRADE_VERSION_PATTERN } from '@vantage/shared/protocol/upgrade-version.js';
import { Type } from 'typebox';
import { nodeSchemas } from '../nodes/index.js';
import { rolloutNodeStates, rolloutStates } from './rollout.js';

const Version = Type.String({
  pattern: UPGRADE_VERSION_PATTERN,
  maxLength: UPGRADE_VERSION_LENGTH,
  description: 'Version, such as 1.4.0 or 1.4.0-rc.2.',
  example: '1.4.0',
});

const Selection = Type.Omit(nodeSchemas.selection, ['owned', 'limit', 'spread'], {
  additionalProperties: false,
  title: 'RolloutSelection',
  description: 'Nodes of all owners; without fields all nodes.',
});

const MaxFailures = Type.Integer({
  minimum: 1,
  maximum: 1_000,
  default: 3,
  description:
    'Number of failed nodes at which the roll-out halts. At most so many nodes are upgraded at the same time, less those that have failed.',
});

const PauseSeconds = Type.Integer({
  minimum: 0,
  maximum: 604_800,
  default: 600,
  description: 'Pause between two stages, in seconds.',
});

const Stages = Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
  minItems: 1,
  maxItems: 20,
  default: [1, 10, 100],
  description: 'Shares of the nodes, in percent, ascending: each stage ends when so many have been upgraded.',
});

/** Request to start a roll-out. */
export const RolloutCreateSchema = Type.Object(
  {
    version: Version,
    selection: Type.Optional(Selection),
    stages: Type.Optional(Stages),
    max_failures: Type.Optional(MaxFailures),
    pause_s: Type.Optional(PauseSeconds),
  },
  { additionalProperties: false },
);

/** State of a node in a roll-out. */
export const RolloutNodeStateSchema = Type.Enum([...rolloutNodeStates], {
  type: 'string',
  description:
    'waiting: its turn has not come, or it has no link. requested: its upgrade runs. done: it runs the version. failed: it could not be upgraded. skipped: it was banned or deleted, or ran the version already.',
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** A roll-out. */
export const RolloutSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.rollout) }),
    version: Version,
    selection: Selection,
    stages: Stages,
    max_failures: MaxFailures,
    pause_s: PauseSeconds,
    state: Type.Enum([...rolloutStates], {
      type: 'string',
      description: 'halted: `max_failures` nodes have failed; resume it, or abort it.',
    }),
    stage: Type.Integer({ minimum: 1, description: 'Present stage, the first one is 1.' }),
    stage_ended_at: nullable(
      Type.String({ format: 'date-time' }),
      'Start of the pause after the stage; null: it runs.',
    ),
    nodes: Type.Object(
      {
        total: count('Number of nodes.'),
        waiting: count('Nodes that wait.'),
        requested: count('Nodes whose upgrade runs.'),
        done: count('Nodes that run the version.'),
        failed: count('Nodes that could not be upgraded.'),
        skipped: count('Nodes that need no upgrade any more.'),
      },
      { additionalProperties: false },
    ),
    created_at: Type.String({ format: 'date-time' }),
    ended_at: nullable(Type.String({ format: 'date-time' }), 'Null: it has not ended.'),
  },
  { additionalProperties: false, title: 'Rollout' },
);

/** A node of a roll-out. */
export const RolloutNodeSchema = Type.Object(
  {
    node_id: nodeSchemas.id,
    name: nullable(Type.String(), 'Null: the node does not exist any more.'),
    state: RolloutNodeStateSchema,
    requested_at: nullable(Type.String({ format: 'date-time' }), 'Null: its upgrade was not requested.'),
    ended_at: nullable(Type.String({ format: 'date-time' }), 'Null: it waits or runs.'),
    error: nullable(Type.String(), 'Reason why it failed or was skipped.'),
  },
  { additionalProperties: false, title: 'RolloutNode' },
);

/** Example of a roll-out. */
export const exampleRollout = {
  id: 'ro_1CGRtJ1RH3rs4vbBJ5pyj9',
  version: '1.4.0',
  selection: { countries: ['DE'] },
  stages: [1, 10, 100],
  max_failures: 3,
  pause_s: 600,
  state: 'running',
  stage: 2,
  stage_ended_at: null,
  nodes: { total: 240, waiting: 216, requested: 2, done: 21, failed: 1, skipped: 0 },
  created_at: '2026-11-20T08:00:00.000Z',
  ended_at: null,
} as const;
