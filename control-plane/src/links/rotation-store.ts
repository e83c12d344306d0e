import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { program } from '../actor.js';
import { insertAuditEntry } from '../modules/audit/index.js';

/** A node's answer to a rotation. */
export interface KeyChange {
  readonly nodeId: string;
  readonly sessionId: string;
  /** Raw: the key to come. */
  readonly publicKey: Buffer;
  /** Why it is refused, given what the row holds; null: it is not. */
  readonly judge: (asked: { readonly publicKey: Buffer; readonly nonce: Buffer }) => string | null;
}

/** Which key counts afterwards, and why it is not the new one; null: it is. */
export interface KeyOutcome {
  readonly publicKey: Buffer;
  readonly refused: string | null;
}

/** A key that counts for a node, or counted for one before. */
class KeyUsedError extends Error {}

const USED = 'this key was used before';

/** Puts a node's new key in the place of the old one, with its line in the audit log, or says why not. */
export async function changeNodeKey(db: Knex, change: KeyChange): Promise<KeyOutcome> {
  let before: Buffer = Buffer.alloc(0);
  try {
    return await db.transaction(async (trx) => {
      const row = await lockLinkedNode(trx, change);
      if (row === null) return { publicKey: before, refused: 'this link is no longer the live one' };
      before = row.public_key;
      const refused = refusalOf(row, change);
      if (refused !== null) return { publicKey: before, refused };
      await replaceKey(trx, row, change);
      return { publicKey: change.publicKey, refused: null };
    });
  } catch (error) {
    if (error instanceof KeyUsedError || (error as { code?: unknown }).code === '23505')
      return { publicKey: before, refused: USED };
    throw error;
  }
}

interface LinkedRow {
  readonly user_id: string;
  readonly public_key: Buffer;
  readonly rotation_nonce: Buffer | null;
}

function refusalOf(row: LinkedRow, { judge }: KeyChange): string | null {
  if (row.rotation_nonce === null) return 'nobody asked for a new key';
  return judge({ publicKey: row.public_key, nonce: row.rotation_nonce });
}

async function lockLinkedNode(trx: Knex, { nodeId, sessionId }: KeyChange): Promise<LinkedRow | null> {
  const { rows } = await trx.raw<{ rows: LinkedRow[] }>(
    `SELECT user_id, public_key, rotation_nonce FROM nodes WHERE id = ? AND session_id = ?
       AND banned_at IS NULL AND quarantined_at IS NULL AND deleted_at IS NULL FOR UPDATE`,
    [nodeId, sessionId],
  );
  return rows[0] ?? null;
}

/** @throws KeyUsedError */
async function replaceKey(trx: Knex.Transaction, row: LinkedRow, { nodeId, publicKey }: KeyChange): Promise<void> {
  await trx('nodes').where({ id: nodeId }).update({
    public_key: publicKey,
    key_changed_at: trx.fn.now(),
    rotation_nonce: null,
    rotation_requested_at: null,
  });
  // after the update: it waits for whoever retires this very key at the same time
  if (await isRetiredKey(trx, publicKey)) throw new KeyUsedError(USED);
  await trx('retired_node_keys').insert({ public_key: row.public_key, node_id: nodeId });
  await insertAuditEntry(trx, {
    actor: program,
    accountId: row.user_id,
    action: 'node.key_rotated',
    subject: nodeId,
    details: { from: keyFingerprint(row.public_key), to: keyFingerprint(publicKey) },
  });
}

/** Whether a key was replaced by another one, of whichever node. */
export async function isRetiredKey(trx: Knex, publicKey: Buffer): Promise<boolean> {
  return (await trx('retired_node_keys').where({ public_key: publicKey }).first('node_id')) !== undefined;
}

/** What people compare keys by: SHA-256 of the raw key, base64. */
export function keyFingerprint(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('base64');
}
