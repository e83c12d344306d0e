import type { Knex } from 'knex';
import { queryPrepared } from '../../db/prepared.js';
import { ownerIsAdmin } from '../../owners/index.js';
import type { Node, NodeSelfTest, NodeUpgrade, VersionRefused } from './node.js';
import type { LocationSource } from './place/place.js';
import { factsOf, PLACE_COLUMNS, type PlaceRow } from './place/place-store.js';

/** A row of table nodes, with the columns that directories need. */
export interface NodeRow extends PlaceRow {
  id: string;
  owner_id: string;
  is_owner_admin: boolean;
  name: string;
  visibility: 'public' | 'private';
  latitude: number | null;
  longitude: number | null;
  isp: string | null;
  location_source: LocationSource;
  geo_mismatch: boolean;
  uptime_percent_30d: number | null;
  tags: string[];
  capabilities: string[];
  self_test: NodeSelfTest | null;
  created_at: Date;
  session_id: string | null;
  replica_id: string | null;
  left_at: Date | null;
  banned_at: Date | null;
  ban_reason: string | null;
  quarantined_at: Date | null;
  draining_at: Date | null;
  deleted_at: Date | null;
  rotation_requested_at: Date | null;
  version_refused: VersionRefused | null;
  upgrade_version: string | null;
  upgrade_state: NodeUpgrade['state'] | null;
  upgrade_error: string | null;
  upgrade_requested_at: Date | null;
  updated_at: Date;
  revision: number;
}

/** The columns of `NodeRow` that the table itself has. */
export const NODE_COLUMNS = `id, owner_id, name, visibility, ${PLACE_COLUMNS}, latitude, longitude, isp, location_source,
  geo_mismatch, uptime_percent_30d, tags, capabilities, self_test, created_at, session_id, replica_id, left_at, banned_at, ban_reason,
  quarantined_at, draining_at, deleted_at, rotation_requested_at, version_refused, upgrade_version, upgrade_state, upgrade_error,
  upgrade_requested_at, updated_at, revision`;

// the trigger stamp_nodes_of_user updates the rows when an owner becomes an administrator or ceases to be one, so that directories see it
const SELECT = `SELECT ${NODE_COLUMNS}, ${ownerIsAdmin('nodes')} AS is_owner_admin FROM nodes`;

/** Newest revision of a node. */
export interface NodeRevision {
  readonly id: string;
  readonly revision: number;
}

/** Reads of nodes, for those that follow their changes. */
export interface NodeReads {
  listAll(): Promise<Node[]>;
  /** Finds the nodes among `ids` that exist. */
  find(ids: readonly string[]): Promise<Node[]>;
  /** Lists the revisions of nodes that changed since an instant by the database's clock; `since` may be slightly too early. */
  listRevisionsSince(since: Date): Promise<NodeRevision[]>;
  /** Lists the ids of nodes that are banned, quarantined or deleted and changed in the last 10 seconds, for whatever reason. */
  listShutOutLately(): Promise<string[]>;
}

/** Reads of nodes from a database. */
export function nodeReads(db: Knex): NodeReads {
  return {
    listAll: () => listNodes(db),
    find: (ids) => findNodes(db, ids),
    listRevisionsSince: (since) => listRevisionsSince(db, since),
    listShutOutLately: () => listShutOutLately(db),
  };
}

/** Lists all nodes, including deleted ones that are banned, since their results show the ban. */
async function listNodes(db: Knex): Promise<Node[]> {
  const { rows } = await db.raw<{ rows: NodeRow[] }>(
    `${SELECT}
     WHERE deleted_at IS NULL OR banned_at IS NOT NULL OR quarantined_at IS NOT NULL`,
  );
  return rows.map(toNode);
}

/** Finds the nodes among `ids` that exist, in any order. */
export async function findNodes(db: Knex, ids: readonly string[]): Promise<Node[]> {
  const { rows } = await db.raw<{ rows: NodeRow[] }>(`${SELECT} WHERE id = ANY(?)`, [[...ids]]);
  return rows.map(toNode);
}

// reads only ids and revisions, because the same nodes match repeatedly for OVERLAP_MS: after a restart, all of them every second
async function listRevisionsSince(db: Knex, since: Date): Promise<NodeRevision[]> {
  const { rows } = await db.raw<{ rows: NodeRevision[] }>('SELECT id, revision FROM nodes WHERE updated_at > ?', [
    since,
  ]);
  return rows;
}

async function listShutOutLately(db: Knex): Promise<string[]> {
  const rows = await queryPrepared<{ id: string }>(db, LIST_SHUT_OUT_LATELY, []);
  return rows.map(({ id }) => id);
}

// NOTE: the condition must match that of an index of the table
const LIST_SHUT_OUT_LATELY = {
  name: 'nodes-shut-out-lately',
  text: `SELECT id FROM nodes WHERE updated_at > clock_timestamp() - interval '10 seconds'
      AND (banned_at IS NOT NULL OR quarantined_at IS NOT NULL OR deleted_at IS NOT NULL)`,
};

/** Returns the node, locked until the transaction ends; null if there is no such node, or it is deleted. */
export async function lockNode(trx: Knex, id: string): Promise<Node | null> {
  const { rows } = await trx.raw<{ rows: NodeRow[] }>(`${SELECT} WHERE id = ? AND deleted_at IS NULL FOR UPDATE`, [id]);
  return rows[0] === undefined ? null : toNode(rows[0]);
}

/** Bans a node, and returns the time of the ban. Leaves its session open: it ends when its link is closed. */
export async function updateBan(trx: Knex, id: string, reason: string): Promise<Date> {
  const changes = { banned_at: trx.fn.now(), ban_reason: reason };
  const [row] = await trx('nodes').where({ id }).update(changes).returning<{ banned_at: Date }[]>('banned_at');
  if (row === undefined) throw new RangeError(`no node "${id}"`);
  return row.banned_at;
}

/**
 * Lifts a ban and a quarantine. After a quarantine it is unknown which copy is the original: the first one that connects is
 * accepted, whatever its generation, and any other is detected again.
 */
export async function updateUnban(trx: Knex, id: string): Promise<void> {
  await trx.raw(
    `UPDATE nodes SET banned_at = NULL, ban_reason = NULL, quarantined_at = NULL,
            generation = CASE WHEN quarantined_at IS NULL THEN generation ELSE 0 END
     WHERE id = ?`,
    [id],
  );
}

/** Starts or ends a drain. */
export async function updateDrain(trx: Knex, id: string, isDraining: boolean): Promise<void> {
  await trx('nodes')
    .where({ id })
    .update({ draining_at: isDraining ? trx.fn.now() : null, draining_reason: null });
}

/** Drains the nodes of an owner whose account is to be erased; returns those that were not drained already. */
export async function drainNodesOfOwner(trx: Knex, ownerId: string): Promise<string[]> {
  const drained = { draining_at: trx.fn.now(), draining_reason: 'account_deleting' };
  const rows = await trx('nodes')
    .where({ owner_id: ownerId, draining_at: null, deleted_at: null })
    .update(drained, 'id');
  return rows.map(({ id }: { id: string }) => id);
}

/** Ends the drains that `drainNodesOfOwner` began; returns the nodes. */
export async function undrainNodesOfOwner(trx: Knex, ownerId: string): Promise<string[]> {
  const rows = await trx('nodes')
    .where({ owner_id: ownerId, draining_reason: 'account_deleting', deleted_at: null })
    .update({ draining_at: null, draining_reason: null }, 'id');
  return rows.map(({ id }: { id: string }) => id);
}

/** Requests a new key. A request that is still open keeps its nonce, so that a reply on its way is valid. */
export async function updateRotationRequest(trx: Knex, id: string, nonce: Buffer): Promise<void> {
  await trx.raw(
    'UPDATE nodes SET rotation_nonce = coalesce(rotation_nonce, :nonce), rotation_requested_at = now() WHERE id = :id',
    { id, nonce },
  );
}

/** Requests another version of the agent; false if the node runs it already. */
export async function updateUpgradeRequest(trx: Knex, id: string, version: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE nodes SET upgrade_version = :version, upgrade_state = 'requested', upgrade_error = NULL,
            upgrade_requested_at = date_trunc('milliseconds', now())
     WHERE id = :id AND agent_version <> :version RETURNING id`,
    { id, version },
  );
  return rows.length === 1;
}

/** Fields of a node that its owner sets; undefined leaves one unchanged. */
export interface NodeChange {
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly visibility?: 'public' | 'private';
}

/** Changes the fields of a node that its owner sets. */
export async function updateNode(trx: Knex, id: string, { name, tags, visibility }: NodeChange): Promise<void> {
  await trx('nodes')
    .where({ id })
    .update({
      ...(name === undefined ? {} : { name }),
      ...(tags === undefined ? {} : { tags }),
      ...(visibility === undefined ? {} : { visibility }),
    });
}

// without a session none of its results is stored, and its work is lost at once; a ban is kept
const DELETED = 'deleted_at = now(), session_id = NULL, replica_id = NULL, lost_after = now(), rotation_nonce = NULL';

/** Deletes a node. */
export async function updateDeleted(trx: Knex, id: string): Promise<void> {
  await trx.raw(`UPDATE nodes SET ${DELETED} WHERE id = ?`, [id]);
}

/** Id and name of a node. */
export interface NamedNode {
  readonly id: string;
  readonly name: string;
}

/** Deletes all nodes of an owner, and returns them. */
export async function deleteNodesOfOwner(trx: Knex, ownerId: string): Promise<NamedNode[]> {
  const { rows } = await trx.raw<{ rows: NamedNode[] }>(
    `UPDATE nodes SET ${DELETED} WHERE owner_id = ? AND deleted_at IS NULL RETURNING id, name`,
    [ownerId],
  );
  return rows;
}

/** Lists the nodes of an owner, oldest first. */
export async function listNodesOfOwner(db: Knex, ownerId: string): Promise<NamedNode[]> {
  return db('nodes').where({ owner_id: ownerId, deleted_at: null }).orderBy('id').select<NamedNode[]>('id', 'name');
}

/** Converts a row into a node. */
export function toNode(row: NodeRow): Node {
  return {
    id: row.id,
    ownerId: row.owner_id,
    isOwnerAdmin: row.is_owner_admin,
    name: row.name,
    isPublic: row.visibility === 'public',
    country: row.country,
    province: row.province,
    region: row.region,
    city: row.city,
    latitude: row.latitude,
    longitude: row.longitude,
    asn: row.asn,
    isp: row.isp,
    provider: row.provider,
    declaredPlace: factsOf(row).declared,
    derivedPlace: row.derived_place,
    locationSource: row.location_source,
    hasGeoMismatch: row.geo_mismatch,
    uptimePercent30d: row.uptime_percent_30d,
    tags: row.tags,
    capabilities: row.capabilities,
    selfTest: row.self_test,
    enrolledAt: row.created_at,
    sessionId: row.session_id,
    replicaId: row.replica_id,
    leftAt: row.left_at,
    isBanned: row.banned_at !== null || row.quarantined_at !== null,
    banReason:
      row.ban_reason ?? (row.quarantined_at === null ? null : 'quarantined: a copy of its state directory connected'),
    isQuarantined: row.quarantined_at !== null,
    bannedAt: row.banned_at ?? row.quarantined_at,
    isDeleted: row.deleted_at !== null,
    isDraining: row.draining_at !== null,
    rotationRequestedAt: row.rotation_requested_at,
    versionRefused: row.version_refused,
    upgrade: upgradeOf(row),
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

function upgradeOf({
  upgrade_version,
  upgrade_state,
  upgrade_error,
  upgrade_requested_at,
}: NodeRow): NodeUpgrade | null {
  if (upgrade_version === null || upgrade_state === null || upgrade_requested_at === null) return null;
  return { version: upgrade_version, state: upgrade_state, error: upgrade_error, requestedAt: upgrade_requested_at };
}
