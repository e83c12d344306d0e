import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { upgradeStates } from './node.js';
import { exampleNode, NodeSchema, Tag } from './schema.js';

const instant = (description: string) => nullable(Type.String({ format: 'date-time' }), description);

const Key = Type.Object(
  {
    fingerprint: Type.String({ description: 'SHA-256 of the raw Ed25519 public key, base64.' }),
    changed_at: instant('Time when the key was changed; null: the node enrolled with it.'),
    rotation_requested_at: instant(
      'Time when a new key was requested that the node has not presented yet; null: none is requested.',
    ),
  },
  { additionalProperties: false, title: 'NodeKey', description: 'Key that the node authenticates with.' },
);

const Ban = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    reason: nullable(Type.String(), 'Reason, given by an administrator or, for a quarantine, by the system.'),
    is_quarantine: Type.Boolean({
      description: 'True for an automatic ban, because a copy of the state directory connected. Unban lifts it.',
    }),
  },
  { additionalProperties: false, title: 'NodeBan' },
);

const VersionRefused = Type.Object(
  {
    asked: Type.Array(Type.Integer(), { description: 'Versions of the link protocol that its agent speaks.' }),
    agent_version: Type.String(),
    at: Type.String({ format: 'date-time' }),
  },
  {
    additionalProperties: false,
    title: 'NodeVersionRefused',
    description:
      'Newest attempt of an agent to connect as this node without a common protocol version, while the node was offline. Such an agent cannot be authenticated.',
  },
);

const Upgrade = Type.Object(
  {
    version: Type.String({ description: 'Requested version.' }),
    state: Type.Enum([...upgradeStates], {
      type: 'string',
      description:
        'requested: the node has not replied yet. running: its command runs, or the node has not reconnected since. done: it has connected with that version.',
    }),
    requested_at: Type.String({ format: 'date-time' }),
    error: nullable(
      Type.Object(
        {
          code: Type.Literal('NODE_UPGRADE_FAILED'),
          message: Type.String({ description: 'Reason, one sentence; it may come from the node.' }),
        },
        { additionalProperties: false },
      ),
      'Null unless the upgrade failed.',
    ),
  },
  { additionalProperties: false, title: 'NodeUpgrade' },
);

const Spool = Type.Object(
  {
    rows: Type.Integer({ description: 'Number of results that wait for delivery.' }),
    bytes: Type.Integer(),
    oldest_seconds: Type.Number({ description: 'Age of the oldest waiting result, in seconds; 0: none waits.' }),
    dropped_rows: Type.Integer({ description: 'Number of results dropped since the spool file was created.' }),
    problem: nullable(Type.String(), 'Reason why the spool cannot store results; null: it can.'),
  },
  { additionalProperties: false, title: 'NodeSpool' },
);

const ownFields = {
  visibility: Type.Enum(['public', 'private'], {
    type: 'string',
    description: 'public: everyone may use the node. private: only its owner and admins.',
  }),
  hostname: Type.String({ description: 'Host name of the machine at enrollment.' }),
  version: Type.String({ description: 'Version of the agent at its last connection.' }),
  os: Type.String(),
  arch: Type.String(),
  connected_at: instant('Time when its last link was opened; null: never.'),
  last_seen_at: instant('Time of its last recorded heartbeat, recorded once a minute; null: none.'),
  spool: nullable(Spool, 'Reported by the node with that heartbeat, not verified. Null before the first one.'),
  upgrade: nullable(Upgrade, 'Newest requested upgrade; null: none.'),
  is_draining: Type.Boolean({ description: 'True while the node gets no new work.' }),
  ban: nullable(Ban, 'Null: not banned.'),
  version_refused: nullable(
    VersionRefused,
    'The agent or the control plane must be upgraded. Null: it has had a link since, or there was no such attempt.',
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

const { geo_mismatch, declared, derived, ...shownToOwner } = NodeSchema.properties;

/** A node as its owner sees it: without the facts by which admins judge its place. */
export const OwnNodeSchema = Type.Object(
  { ...shownToOwner, ...ownFields },
  { additionalProperties: false, title: 'OwnNode', examples: [ownExample] },
);

/** A node as admins see it. */
export const AdminNodeSchema = Type.Object(
  {
    ...OwnNodeSchema.properties,
    geo_mismatch,
    declared,
    derived,
    owner: Type.Object({ user_id: Type.String(), email: Type.String() }, { additionalProperties: false }),
  },
  {
    additionalProperties: false,
    title: 'AdminNode',
    examples: [{ ...ownExample, owner: { user_id: 'u_1CGRtJ1RH3rs4vbBJ5pyj7', email: 'ada@example.com' } }],
  },
);

/** Changes of a node by its owner; absent fields keep their values. */
export const NodeChangeSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    tags: Type.Optional(Type.Array(Tag, { maxItems: 16, description: 'Replaces all tags. Converted to lower case.' })),
    visibility: Type.Optional(ownFields.visibility),
  },
  { additionalProperties: false, minProperties: 1 },
);
