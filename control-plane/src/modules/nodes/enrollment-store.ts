import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryPage } from '../../db/named.js';
import { isRetiredKey } from '../../links/index.js';
import { ofOwner } from '../../owners/index.js';
import type { PlaceFacts } from './place/place.js';
import { placeColumns } from './place/place-store.js';

/** A node to be enrolled. */
export interface NewNode {
  readonly id: string;
  readonly ownerId: string;
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

/** Inserts a node; false if its key is or was that of a node (a key enrolls once), and the caller must roll back. */
export async function insertNode(trx: Knex, node: NewNode): Promise<boolean> {
  const result = await trx('nodes')
    .insert({
      id: node.id,
      owner_id: node.ownerId,
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

/** An enrollment token, with facts about its owner. */
export interface EnrollmentTokenRow {
  readonly id: string;
  readonly secret_hash: Buffer;
  readonly preview: string;
  readonly owner_id: string;
  /** Null for a team's token. */
  readonly owner_user_id: string | null;
  readonly label: string | null;
  readonly country_code: string | null;
  readonly declared_province: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly consumed_node_id: string | null;
  /** True if the node that it enrolled was deleted. */
  readonly is_node_deleted: boolean;
  readonly consumed_public_key: Buffer | null;
  readonly is_expired: boolean;
  readonly owner_role: 'user' | 'admin';
}

const TOKEN_COLUMNS = `t.id, t.secret_hash, t.preview, t.owner_id, t.label, t.country_code, t.declared_province, t.created_at,
  t.expires_at, t.used_at, t.consumed_node_id, t.consumed_public_key, t.expires_at <= now() AS is_expired, u.id AS owner_user_id, coalesce(u.role, 'user') AS owner_role,
  EXISTS (SELECT FROM nodes n WHERE n.id = t.consumed_node_id AND n.deleted_at IS NOT NULL) AS is_node_deleted`;

/**
 * A token to be stored. `id` names it in the API; `tokenId` is the public part of the token itself, by which it is found.
 * The secret part is stored only as a hash.
 */
export interface NewEnrollmentToken {
  readonly id: string;
  readonly tokenId: string;
  readonly secretHash: Buffer;
  readonly preview: string;
  readonly ownerId: string;
  readonly label: string | null;
  readonly countryCode: string | null;
  readonly province: string | null;
  readonly expiresAt: Date;
}

export async function insertEnrollmentToken(db: Knex, token: NewEnrollmentToken): Promise<void> {
  await db('enrollment_tokens').insert({
    id: token.id,
    token_id: token.tokenId,
    secret_hash: token.secretHash,
    preview: token.preview,
    owner_id: token.ownerId,
    label: token.label,
    country_code: token.countryCode,
    declared_province: token.province,
    expires_at: token.expiresAt,
  });
}

/** Lists an owner's tokens (null for all owners), newest first, with their total number. */
export function listEnrollmentTokens(
  db: Knex,
  page: PageRange & { readonly ownerId: string | null },
): Promise<CountedPage<EnrollmentTokenRow>> {
  const from = 'enrollment_tokens t LEFT JOIN users u ON u.id = t.owner_id';
  const where = page.ownerId === null ? 'true' : ofOwner('t');
  const query = { name: 'enrollment-tokens', columns: TOKEN_COLUMNS, from, where, orderBy: 't.id DESC' };
  return queryPage<EnrollmentTokenRow>(db, query, { ...page });
}

/** Finds the token with this `tokenId`, its public part; null if there is none, or its owner is not active. */
export async function findEnrollmentToken(db: Knex, tokenId: string): Promise<EnrollmentTokenRow | null> {
  const { rows } = await db.raw<{ rows: EnrollmentTokenRow[] }>(
    `SELECT ${TOKEN_COLUMNS} FROM enrollment_tokens t JOIN owners o ON o.id = t.owner_id
       LEFT JOIN users u ON u.id = o.id
     WHERE t.token_id = ? AND o.state = 'active'`,
    [tokenId],
  );
  return rows[0] ?? null;
}

/**
 * Uses a token for a key; false if it is used or expired. A second use waits for the transaction of the first and then finds
 * the token used.
 */
export async function useEnrollmentToken(trx: Knex, id: string, publicKey: Buffer): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE enrollment_tokens SET used_at = now(), consumed_public_key = ?
     WHERE id = ? AND used_at IS NULL AND expires_at > now() RETURNING id`,
    [publicKey, id],
  );
  return rows.length === 1;
}

/** Stores the node that a token was used for. */
export async function updateConsumedNode(trx: Knex, id: string, nodeId: string): Promise<void> {
  await trx('enrollment_tokens').where({ id }).update({ consumed_node_id: nodeId });
}

/** Deletes an unused token of an owner (null for any owner). `used`: it was used; `missing`: it does not exist. */
export async function deleteEnrollmentToken(
  db: Knex,
  id: string,
  ownerId: string | null,
): Promise<{ readonly ownerId: string } | 'used' | 'missing'> {
  const mine = db('enrollment_tokens').where(ownerId === null ? { id } : { id, owner_id: ownerId });
  const [deleted] = await mine.clone().where({ used_at: null }).delete().returning<{ owner_id: string }[]>('owner_id');
  if (deleted) return { ownerId: deleted.owner_id };
  return (await mine.first('id')) ? 'used' : 'missing';
}

/** Deletes tokens that were used, or that expired unused, before an instant. */
export async function deleteEnrollmentTokensEndedBefore(db: Knex, before: Date): Promise<void> {
  await db('enrollment_tokens').whereRaw('coalesce(used_at, expires_at) < ?', [before]).delete();
}

/** Number of nodes of an owner, without deleted ones. */
export async function countNodes(trx: Knex, ownerId: string): Promise<number> {
  return countOf(trx, 'SELECT count(*) FROM nodes WHERE owner_id = ? AND deleted_at IS NULL', ownerId);
}

/** Number of enrollment tokens of an owner that are neither used nor expired. */
export async function countOpenTokens(trx: Knex, ownerId: string): Promise<number> {
  const sql = 'SELECT count(*) FROM enrollment_tokens WHERE owner_id = ? AND used_at IS NULL AND expires_at > now()';
  return countOf(trx, sql, ownerId);
}

async function countOf(trx: Knex, sql: string, ownerId: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(sql, [ownerId]);
  return rows[0]?.count ?? 0;
}
