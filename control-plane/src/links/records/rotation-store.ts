import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { program } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';

/** Reply of a node to a rotation request. */
export interface KeyChange {
  readonly nodeId: string;
  readonly sessionId: string;
  /** Next key, raw. */
  readonly publicKey: Buffer;
  /** Reason to refuse the change, given the row, or null. */
  readonly judge: (asked: { readonly publicKey: Buffer; readonly nonce: Buffer }) => string | null;
}

/** Key that is valid afterwards, and the reason if it is not the new one; null if it is. */
export interface KeyOutcome {
  readonly publicKey: Buffer;
  readonly refused: string | null;
}

/** Key that is or was valid for a node. */
class KeyUsedError extends Error {}

const USED = 'this key was used before';

/** Replaces a node's key by the new one, with its line in the audit log, or reports why not. */
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
  readonly owner_id: string;
  readonly public_key: Buffer;
  readonly rotation_nonce: Buffer | null;
}

function refusalOf(row: LinkedRow, { judge }: KeyChange): string | null {
  if (row.rotation_nonce === null) return 'no key rotation was requested';
  return judge({ publicKey: row.public_key, nonce: row.rotation_nonce });
}

async function lockLinkedNode(trx: Knex, { nodeId, sessionId }: KeyChange): Promise<LinkedRow | null> {
  const { rows } = await trx.raw<{ rows: LinkedRow[] }>(
    `SELECT owner_id, public_key, rotation_nonce FROM nodes WHERE id = ? AND session_id = ?
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
  // after the update, which waits for any transaction that retires the same key at the same time
  if (await isRetiredKey(trx, publicKey)) throw new KeyUsedError(USED);
  await trx('retired_node_keys').insert({ public_key: row.public_key, node_id: nodeId });
  await insertAuditEntry(trx, {
    actor: program,
    accountId: row.owner_id,
    action: 'node.key_rotated',
    subject: nodeId,
    details: { from: keyFingerprint(row.public_key), to: keyFingerprint(publicKey) },
  });
}

/** True if a key of any node was replaced by another one. */
export async function isRetiredKey(trx: Knex, publicKey: Buffer): Promise<boolean> {
  return (await trx('retired_node_keys').where({ public_key: publicKey }).first('node_id')) !== undefined;
}

/** Fingerprint by which people compare keys: SHA-256 of the raw key, base64. */
export function keyFingerprint(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('base64');
}
