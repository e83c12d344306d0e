import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { upgradeStates } from './node.js';
import { exampleNode, NodeSchema, Tag } from './schema.js';

const instant = (description: string) => nullable(Type.String({ format: 'date-time' }), description);

const Key = Type.Object(
  {
    fingerprint: Type.String({ description: 'SHA-256 of the raw Ed25519 public key, base64.' }),
    changed_at: instant('Null: it is the key the node enrolled with.'),
    rotation_requested_at: instant('When another key was asked for that the node has not shown yet; null: none is.'),
  },
  { additionalProperties: false, description: 'What the node proves itself with.' },
);

const Ban = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    reason: nullable(Type.String(), 'As the administrator gave it.'),
    is_quarantine: Type.Boolean({
      description: 'The node shut itself out: a copy of its state directory connected. Lifting it is unban.',
    }),
  },
  { additionalProperties: false },
);

const VersionRefused = Type.Object(
  {
    asked: Type.Array(Type.Integer(), { description: 'Versions of the link protocol that its agent speaks.' }),
    agent_version: Type.String(),
    at: Type.String({ format: 'date-time' }),
  },
  {
    additionalProperties: false,
    description:
      'What an agent that named this node asked for while it was offline. Without a common version nobody can prove who asks.',
  },
);

const Upgrade = Type.Object(
  {
    version: Type.String({ description: 'That was asked for.' }),
    state: Type.Enum([...upgradeStates], {
      type: 'string',
      description:
        'requested: the node has not answered yet. running: its command runs, or the node has not come back since. done: it has connected with that version.',
    }),
    requested_at: Type.String({ format: 'date-time' }),
    error: nullable(
      Type.Object(
        {
          code: Type.Literal('NODE_UPGRADE_FAILED'),
          message: Type.String({ description: 'Why: one sentence, perhaps of the node itself.' }),
        },
        { additionalProperties: false },
      ),
      'Null unless it failed.',
    ),
  },
  { additionalProperties: false },
);

const Spool = Type.Object(
  {
    rows: Type.Integer({ description: 'Results that wait for delivery.' }),
    bytes: Type.Integer(),
    oldest_seconds: Type.Number({ description: 'How long the oldest of them had waited then; 0: none waits.' }),
    dropped_rows: Type.Integer({ description: 'Results given up since its spool file was made.' }),
    problem: nullable(Type.String(), 'Why its disk takes no results; null: it does.'),
  },
  { additionalProperties: false },
);

const ownFields = {
  visibility: Type.Enum(['public', 'private'], {
    type: 'string',
    description: 'public: anybody may use it. private: its owner and admins.',
  }),
  hostname: Type.String({ description: 'Of the machine, when it enrolled.' }),
  version: Type.String({ description: 'Of the agent, when it last connected.' }),
  os: Type.String(),
  arch: Type.String(),
  connected_at: instant('When its last link was opened; null: never.'),
  last_seen_at: instant('Its last heartbeat that was noted, which is done once a minute; null: none was.'),
  spool: nullable(Spool, 'As the node told with that heartbeat: its word, not measured. Null before the first.'),
  upgrade: nullable(Upgrade, 'The newest one it was asked for; null: none was.'),
  is_draining: Type.Boolean({ description: 'Gets no new work.' }),
  ban: nullable(Ban, 'Null: it is not banned.'),
  version_refused: nullable(
    VersionRefused,
    'Its agent has to be upgraded, or the control plane; null: it has had a link since, or never asked in vain.',
  ),
  key: Key,
};

const ownExample = {
  ...exampleNode,
  visibility: 'private',
  hostname: 'probe-1',
  version: '0.1.0',
  os: 'linux',
  arch: 'x64',
  connected_at: '2026-01-31T11:58:00.000Z',
  last_seen_at: '2026-01-31T11:59:30.000Z',
  spool: { rows: 0, bytes: 0, oldest_seconds: 0, dropped_rows: 0, problem: null },
  upgrade: null,
  is_draining: false,
  ban: null,
  version_refused: null,
  key: { fingerprint: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=', changed_at: null, rotation_requested_at: null },
};

/** A node as its owner sees it. */
export const OwnNodeSchema = Type.Object(
  { ...NodeSchema.properties, ...ownFields },
  { additionalProperties: false, title: 'OwnNode', examples: [ownExample] },
);

/** A node as admins see it. */
export const AdminNodeSchema = Type.Object(
  {
    ...OwnNodeSchema.properties,
    owner: Type.Object({ user_id: Type.String(), email: Type.String() }, { additionalProperties: false }),
  },
  {
    additionalProperties: false,
    title: 'AdminNode',
    examples: [{ ...ownExample, owner: { user_id: 'u_1CGRtJ1RH3rs4vbBJ5pyj7', email: 'ada@example.com' } }],
  },
);

/** What an owner may change of a node; a field that is left out stays as it is. */
export const NodeChangeSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    tags: Type.Optional(
      Type.Array(Tag, { maxItems: 16, description: 'All of them: what is not in the list is taken off. Lower-cased.' }),
    ),
    visibility: Type.Optional(ownFields.visibility),
  },
  { additionalProperties: false, minProperties: 1 },
);
