import type { Knex } from 'knex';
import type { Node, NodeSelfTest } from './node.js';

interface NodeRow {
  id: string;
  user_id: string;
  name: string;
  visibility: 'public' | 'private';
  country: string | null;
  province: string | null;
  region: string | null;
  city: string | null;
  latitude: number | null;
  longitude: number | null;
  asn: number | null;
  isp: string | null;
  provider: string | null;
  tags: string[];
  capabilities: string[];
  self_test: NodeSelfTest | null;
  created_at: Date;
  session_id: string | null;
  replica_id: string | null;
  banned_at: Date | null;
  ban_reason: string | null;
  quarantined_at: Date | null;
  draining_at: Date | null;
  updated_at: Date;
  revision: number;
}

const NODE_COLUMNS = `id, user_id, name, visibility, country, province, region, city, latitude, longitude, asn, isp,
  provider, tags, capabilities, self_test, created_at, session_id, replica_id, banned_at, ban_reason, quarantined_at, draining_at,
  updated_at, revision`;

/** Every node. */
export async function listNodes(db: Knex): Promise<Node[]> {
  const { rows } = await db.raw<{ rows: NodeRow[] }>(`SELECT ${NODE_COLUMNS} FROM nodes`);
  return rows.map(toNode);
}

/** The nodes among `ids` that exist. */
export async function findNodes(db: Knex, ids: readonly string[]): Promise<Node[]> {
  const { rows } = await db.raw<{ rows: NodeRow[] }>(`SELECT ${NODE_COLUMNS} FROM nodes WHERE id = ANY(?)`, [[...ids]]);
  return rows.map(toNode);
}

/** Nodes changed since an instant by the database's clock; a little earlier is harmless. */
export async function listNodesChangedSince(db: Knex, since: Date): Promise<Node[]> {
  const { rows } = await db.raw<{ rows: NodeRow[] }>(`SELECT ${NODE_COLUMNS} FROM nodes WHERE updated_at > ?`, [since]);
  return rows.map(toNode);
}

/** Bans a node that isn't; false when it already was. Its session is not touched: the link closes it. */
export async function updateBan(trx: Knex, nodeId: string, reason: string): Promise<boolean> {
  const count = await trx('nodes')
    .where({ id: nodeId, banned_at: null })
    .update({ banned_at: trx.fn.now(), ban_reason: reason });
  return count === 1;
}

/** Bans every node of a user that is not banned; answers their ids. */
export async function updateBanOfOwner(trx: Knex, userId: string, reason: string): Promise<string[]> {
  const rows = await trx('nodes')
    .where({ user_id: userId, banned_at: null })
    .update({ banned_at: trx.fn.now(), ban_reason: reason })
    .returning<{ id: string }[]>('id');
  return rows.map(({ id }) => id);
}

/** Lifts a ban or a quarantine; false when there was neither. */
export async function updateUnban(trx: Knex, nodeId: string): Promise<boolean> {
  const count = await trx('nodes')
    .where({ id: nodeId })
    .where((either) => either.whereNotNull('banned_at').orWhereNotNull('quarantined_at'))
    .update({ banned_at: null, ban_reason: null, quarantined_at: null });
  return count === 1;
}

export interface NewNode {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly visibility: 'public' | 'private';
  readonly publicKey: Buffer;
  readonly country: string | null;
  readonly province: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly asn: number | null;
  readonly provider: string | null;
  readonly tags: readonly string[];
  readonly hostname: string;
  readonly agentVersion: string;
  readonly os: string;
  readonly arch: string;
  readonly capabilities: readonly string[];
}

/** Inserts a node; false when its key is known already (a key enrolls once). */
export async function insertNode(trx: Knex, node: NewNode): Promise<boolean> {
  const result = await trx('nodes')
    .insert({
      id: node.id,
      user_id: node.userId,
      name: node.name,
      visibility: node.visibility,
      public_key: node.publicKey,
      country: node.country,
      province: node.province,
      region: node.region,
      city: node.city,
      asn: node.asn,
      provider: node.provider,
      tags: node.tags,
      hostname: node.hostname,
      agent_version: node.agentVersion,
      os: node.os,
      arch: node.arch,
      capabilities: node.capabilities,
    })
    .onConflict('public_key')
    .ignore()
    .returning('id');
  return result.length === 1;
}

export interface EnrollmentTokenRow {
  readonly id: string;
  readonly secret_hash: Buffer;
  readonly preview: string;
  readonly user_id: string;
  readonly label: string | null;
  readonly country_code: string | null;
  readonly declared_province: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly consumed_node_id: string | null;
  readonly consumed_public_key: Buffer | null;
  readonly is_expired: boolean;
  readonly owner_role: 'user' | 'admin';
}

const TOKEN_COLUMNS = `t.id, t.secret_hash, t.preview, t.user_id, t.label, t.country_code, t.declared_province, t.created_at,
  t.expires_at, t.used_at, t.consumed_node_id, t.consumed_public_key, t.expires_at <= now() AS is_expired, u.role AS owner_role`;

/** Stores a token: its public id and the hash of its secret, never the secret. */
export async function insertEnrollmentToken(
  db: Knex,
  token: {
    id: string;
    tokenId: string;
    secretHash: Buffer;
    preview: string;
    userId: string;
    label: string | null;
    countryCode: string | null;
    province: string | null;
    expiresAt: Date;
  },
): Promise<void> {
  await db('enrollment_tokens').insert({
    id: token.id,
    token_id: token.tokenId,
    secret_hash: token.secretHash,
    preview: token.preview,
    user_id: token.userId,
    label: token.label,
    country_code: token.countryCode,
    declared_province: token.province,
    expires_at: token.expiresAt,
  });
}

/** A user's tokens, newest first, and how many there are; every user's for null. */
export async function listEnrollmentTokens(
  db: Knex,
  page: { userId: string | null; limit: number; offset: number },
): Promise<{ rows: EnrollmentTokenRow[]; total: number }> {
  const owned = page.userId === null ? 'true' : 't.user_id = :userId';
  const { rows } = await db.raw<{ rows: EnrollmentTokenRow[] }>(
    `SELECT ${TOKEN_COLUMNS} FROM enrollment_tokens t JOIN users u ON u.id = t.user_id
     WHERE ${owned} ORDER BY t.id DESC LIMIT :limit OFFSET :offset`,
    { userId: page.userId ?? '', limit: page.limit, offset: page.offset },
  );
  const { rows: counts } = await db.raw<{ rows: { total: number }[] }>(
    `SELECT count(*) AS total FROM enrollment_tokens t WHERE ${owned}`,
    { userId: page.userId ?? '' },
  );
  return { rows, total: counts[0]?.total ?? 0 };
}

/** The token with this public id, locked until the transaction ends, or null. */
export async function lockEnrollmentToken(trx: Knex, tokenId: string): Promise<EnrollmentTokenRow | null> {
  const { rows } = await trx.raw<{ rows: EnrollmentTokenRow[] }>(
    `SELECT ${TOKEN_COLUMNS} FROM enrollment_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_id = ?
       AND u.disabled_at IS NULL AND u.deleted_at IS NULL FOR UPDATE OF t`,
    [tokenId],
  );
  return rows[0] ?? null;
}

/** Uses a token up; false when somebody else did. */
export async function consumeEnrollmentToken(
  trx: Knex,
  id: string,
  nodeId: string,
  publicKey: Buffer,
): Promise<boolean> {
  const count = await trx('enrollment_tokens')
    .where({ id, used_at: null })
    .update({ used_at: trx.fn.now(), consumed_node_id: nodeId, consumed_public_key: publicKey });
  return count === 1;
}

/** Deletes an unused token of a user (any user's for null). `used`: it exists and was used; `missing`: it does not exist. */
export async function deleteEnrollmentToken(
  db: Knex,
  id: string,
  userId: string | null,
): Promise<{ readonly userId: string } | 'used' | 'missing'> {
  const mine = db('enrollment_tokens').where(userId === null ? { id } : { id, user_id: userId });
  const [deleted] = await mine.clone().where({ used_at: null }).delete().returning<{ user_id: string }[]>('user_id');
  if (deleted) return { userId: deleted.user_id };
  return (await mine.first('id')) ? 'used' : 'missing';
}

function toNode(row: NodeRow): Node {
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
    tags: row.tags,
    capabilities: row.capabilities,
    selfTest: row.self_test,
    enrolledAt: row.created_at,
    sessionId: row.session_id,
    replicaId: row.replica_id,
    isBanned: row.banned_at !== null || row.quarantined_at !== null,
    banReason:
      row.ban_reason ?? (row.quarantined_at === null ? null : 'quarantined: a copy of its state directory connected'),
    isDraining: row.draining_at !== null,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}
