import type { Knex } from 'knex';
import type { Node, NodeSelfTest, NodeUpgrade, VersionRefused } from './node.js';
import type { LocationSource } from './place.js';
import { factsOf, PLACE_COLUMNS, type PlaceRow } from './place-store.js';

/** A row of table nodes, as far as directories need it. */
export interface NodeRow extends PlaceRow {
  id: string;
  user_id: string;
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

/** The columns of `NodeRow`. */
export const NODE_COLUMNS = `id, user_id, name, visibility, ${PLACE_COLUMNS}, latitude, longitude, isp, location_source,
  geo_mismatch, uptime_percent_30d, tags, capabilities, self_test, created_at, session_id, replica_id, left_at, banned_at, ban_reason,
  quarantined_at, draining_at, deleted_at, rotation_requested_at, version_refused, upgrade_version, upgrade_state, upgrade_error,
  upgrade_requested_at, updated_at, revision`;

/** That a node changed. */
export interface NodeRevision {
  readonly id: string;
  readonly revision: number;
}

/** The nodes, as those read them who follow their changes. */
export interface NodeReads {
  listAll(): Promise<Node[]>;
  /** Those among `ids` that exist. */
  find(ids: readonly string[]): Promise<Node[]>;
  /** Of those changed since an instant by the database's clock; a little earlier is harmless. */
  listRevisionsSince(since: Date): Promise<NodeRevision[]>;
  /** Ids of those that were banned, quarantined or deleted within the last seconds, and a few more. */
  listShutOutLately(): Promise<string[]>;
}

/** The nodes of a database. */
export function nodeReads(db: Knex): NodeReads {
  return {
    listAll: () => listNodes(db),
    find: (ids) => findNodes(db, ids),
    listRevisionsSince: (since) => listRevisionsSince(db, since),
    listShutOutLately: () => listShutOutLately(db),
  };
}

/** Every node, of those that were deleted only the banned ones: their results say so. */
async function listNodes(db: Knex): Promise<Node[]> {
  const { rows } = await db.raw<{ rows: NodeRow[] }>(
    `SELECT ${NODE_COLUMNS} FROM nodes
     WHERE deleted_at IS NULL OR banned_at IS NOT NULL OR quarantined_at IS NOT NULL`,
  );
  return rows.map(toNode);
}

/** The nodes among `ids` that exist. */
export async function findNodes(db: Knex, ids: readonly string[]): Promise<Node[]> {
  const { rows } = await db.raw<{ rows: NodeRow[] }>(`SELECT ${NODE_COLUMNS} FROM nodes WHERE id = ANY(?)`, [[...ids]]);
  return rows.map(toNode);
}

// whole rows would be read again for as long as the directory looks back: after a restart all of them, every second
async function listRevisionsSince(db: Knex, since: Date): Promise<NodeRevision[]> {
  const { rows } = await db.raw<{ rows: NodeRevision[] }>('SELECT id, revision FROM nodes WHERE updated_at > ?', [
    since,
  ]);
  return rows;
}

// NOTE: the condition is that of an index, migration 0006
async function listShutOutLately(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM nodes WHERE updated_at > clock_timestamp() - interval '10 seconds'
       AND (banned_at IS NOT NULL OR quarantined_at IS NOT NULL OR deleted_at IS NOT NULL)`,
  );
  return rows.map(({ id }) => id);
}

/** The node, locked until the transaction ends; null when there is none. */
export async function lockNode(trx: Knex, id: string): Promise<Node | null> {
  const { rows } = await trx.raw<{ rows: NodeRow[] }>(
    `SELECT ${NODE_COLUMNS} FROM nodes WHERE id = ? AND deleted_at IS NULL FOR UPDATE`,
    [id],
  );
  return rows[0] === undefined ? null : toNode(rows[0]);
}

/** Bans a node. Its session is not touched: the link closes it. */
export async function updateBan(trx: Knex, id: string, reason: string): Promise<void> {
  await trx('nodes').where({ id }).update({ banned_at: trx.fn.now(), ban_reason: reason });
}

/**
 * Lifts a ban and a quarantine. After a quarantine nobody knows which of the copies is meant to come back: the first
 * one does, whatever its generation, and any other is noticed again.
 */
export async function updateUnban(trx: Knex, id: string): Promise<void> {
  await trx.raw(
    `UPDATE nodes SET banned_at = NULL, ban_reason = NULL, quarantined_at = NULL,
            generation = CASE WHEN quarantined_at IS NULL THEN generation ELSE 0 END
     WHERE id = ?`,
    [id],
  );
}

/** Begins or ends a drain. */
export async function updateDrain(trx: Knex, id: string, isDraining: boolean): Promise<void> {
  await trx('nodes')
    .where({ id })
    .update({ draining_at: isDraining ? trx.fn.now() : null });
}

/** Asks for another key; a request that nobody answered yet keeps its nonce, so that an answer on its way counts. */
export async function updateRotationRequest(trx: Knex, id: string, nonce: Buffer): Promise<void> {
  await trx.raw(
    'UPDATE nodes SET rotation_nonce = coalesce(rotation_nonce, :nonce), rotation_requested_at = now() WHERE id = :id',
    { id, nonce },
  );
}

/** Asks for another version of its agent; false: that one runs already. */
export async function updateUpgradeRequest(trx: Knex, id: string, version: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE nodes SET upgrade_version = :version, upgrade_state = 'requested', upgrade_error = NULL,
            upgrade_requested_at = date_trunc('milliseconds', now())
     WHERE id = :id AND agent_version <> :version RETURNING id`,
    { id, version },
  );
  return rows.length === 1;
}

/** What an owner says of a node. */
export interface NodeChange {
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly visibility?: 'public' | 'private';
}

/** Changes what its owner says of a node. */
export async function updateNode(trx: Knex, id: string, { name, tags, visibility }: NodeChange): Promise<void> {
  await trx('nodes')
    .where({ id })
    .update({
      ...(name === undefined ? {} : { name }),
      ...(tags === undefined ? {} : { tags }),
      ...(visibility === undefined ? {} : { visibility }),
    });
}

// without its session nothing of it is stored any more, and its work is lost at once; a ban stays what it was
const DELETED = 'deleted_at = now(), session_id = NULL, replica_id = NULL, lost_after = now(), rotation_nonce = NULL';

/** Takes a node away. */
export async function updateDeleted(trx: Knex, id: string): Promise<void> {
  await trx.raw(`UPDATE nodes SET ${DELETED} WHERE id = ?`, [id]);
}

/** Takes away every node of a user; answers their ids. */
export async function deleteNodesOfOwner(trx: Knex, userId: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `UPDATE nodes SET ${DELETED} WHERE user_id = ? AND deleted_at IS NULL RETURNING id`,
    [userId],
  );
  return rows.map(({ id }) => id);
}

/** A row as the program knows it. */
export function toNode(row: NodeRow): Node {
  return {
    id: row.id,
    ownerId: row.user_id,
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
