import type { Knex } from 'knex';
import { isRetiredKey } from '../../links/index.js';
import type { PlanName } from '../../plans.js';
import type { PlaceFacts } from './place.js';
import { placeColumns } from './place-store.js';

/** A node as it is enrolled. */
export interface NewNode {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly visibility: 'public' | 'private';
  readonly publicKey: Buffer;
  readonly place: PlaceFacts;
  readonly tags: readonly string[];
  readonly hostname: string;
  readonly agentVersion: string;
  readonly os: string;
  readonly arch: string;
  readonly capabilities: readonly string[];
}

/** Inserts a node; false, and to be rolled back, when its key is or was a node's already (a key enrolls once). */
export async function insertNode(trx: Knex, node: NewNode): Promise<boolean> {
  const result = await trx('nodes')
    .insert({
      id: node.id,
      user_id: node.userId,
      name: node.name,
      visibility: node.visibility,
      public_key: node.publicKey,
      ...placeColumns(node.place),
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
  return result.length === 1 && !(await isRetiredKey(trx, node.publicKey));
}

/** An enrollment token and what is known of its owner. */
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
  /** The node it became was deleted since. */
  readonly is_node_deleted: boolean;
  readonly consumed_public_key: Buffer | null;
  readonly is_expired: boolean;
  readonly owner_role: 'user' | 'admin';
}

const TOKEN_COLUMNS = `t.id, t.secret_hash, t.preview, t.user_id, t.label, t.country_code, t.declared_province, t.created_at,
  t.expires_at, t.used_at, t.consumed_node_id, t.consumed_public_key, t.expires_at <= now() AS is_expired, u.role AS owner_role,
  EXISTS (SELECT FROM nodes n WHERE n.id = t.consumed_node_id AND n.deleted_at IS NOT NULL) AS is_node_deleted`;

/** A token to store: its public id and the hash of its secret, never the secret. */
export interface NewEnrollmentToken {
  readonly id: string;
  readonly tokenId: string;
  readonly secretHash: Buffer;
  readonly preview: string;
  readonly userId: string;
  readonly label: string | null;
  readonly countryCode: string | null;
  readonly province: string | null;
  readonly expiresAt: Date;
}

/** Stores a token. */
export async function insertEnrollmentToken(db: Knex, token: NewEnrollmentToken): Promise<void> {
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

/** The token with this public id whose owner may still use it, or null. */
export async function findEnrollmentToken(db: Knex, tokenId: string): Promise<EnrollmentTokenRow | null> {
  const { rows } = await db.raw<{ rows: EnrollmentTokenRow[] }>(
    `SELECT ${TOKEN_COLUMNS} FROM enrollment_tokens t JOIN users u ON u.id = t.user_id
     WHERE t.token_id = ? AND u.disabled_at IS NULL AND u.deleted_at IS NULL`,
    [tokenId],
  );
  return rows[0] ?? null;
}

/**
 * Uses a token up for a key; false when somebody else did, or its time is over. Who comes second waits for the first
 * one's transaction and then finds it used.
 */
export async function claimEnrollmentToken(trx: Knex, id: string, publicKey: Buffer): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE enrollment_tokens SET used_at = now(), consumed_public_key = ?
     WHERE id = ? AND used_at IS NULL AND expires_at > now() RETURNING id`,
    [publicKey, id],
  );
  return rows.length === 1;
}

/** Notes which node a claimed token became. */
export async function updateConsumedNode(trx: Knex, id: string, nodeId: string): Promise<void> {
  await trx('enrollment_tokens').where({ id }).update({ consumed_node_id: nodeId });
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

/** Deletes tokens that were used, or expired unused, before an instant. */
export async function deleteEnrollmentTokensEndedBefore(db: Knex, before: Date): Promise<void> {
  await db('enrollment_tokens').whereRaw('coalesce(used_at, expires_at) < ?', [before]).delete();
}

/** The plan of a user; until the transaction ends nobody else changes how many nodes and tokens the user has. */
export async function lockOwnerPlan(trx: Knex, userId: string): Promise<PlanName> {
  const { rows } = await trx.raw<{ rows: { plan: PlanName }[] }>(
    'SELECT plan FROM users WHERE id = ? FOR NO KEY UPDATE',
    [userId],
  );
  if (!rows[0]) throw new Error(`no user "${userId}"`);
  return rows[0].plan;
}

/** How many nodes a user has, and how many tokens that could still let one in. */
export async function countHoldings(trx: Knex, userId: string): Promise<{ nodes: number; openTokens: number }> {
  const { rows } = await trx.raw<{ rows: { nodes: number; open_tokens: number }[] }>(
    `SELECT (SELECT count(*) FROM nodes WHERE user_id = :userId AND deleted_at IS NULL) AS nodes,
            (SELECT count(*) FROM enrollment_tokens WHERE user_id = :userId AND used_at IS NULL AND expires_at > now()) AS open_tokens`,
    { userId },
  );
  return { nodes: rows[0]?.nodes ?? 0, openTokens: rows[0]?.open_tokens ?? 0 };
}
