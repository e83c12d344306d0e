import { type Lane, lanes } from '@vantage/shared/protocol/codec.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { Knex } from 'knex';
import { program } from '../actor.js';
import { insertAuditEntry } from '../modules/audit/index.js';

// NOTE: lane numbers in ingest_marks are those of proto/link.proto
const LANE_NUMBERS: Record<Lane, number> = { task: 1, check: 2 };

/** The number of a lane in tables. */
export function laneNumber(lane: Lane): number {
  return LANE_NUMBERS[lane];
}

export interface LinkNodeRow {
  readonly id: string;
  readonly public_key: Buffer;
  readonly generation: number;
  readonly is_banned: boolean;
  readonly is_quarantined: boolean;
}

/** What a handshake needs to know of a node, or null. */
export async function findLinkNode(db: Knex, nodeId: string): Promise<LinkNodeRow | null> {
  const { rows } = await db.raw<{ rows: LinkNodeRow[] }>(
    `SELECT id, public_key, generation, banned_at IS NOT NULL AS is_banned, quarantined_at IS NOT NULL AS is_quarantined
     FROM nodes WHERE id = ?`,
    [nodeId],
  );
  return rows[0] ?? null;
}

export interface SessionRow {
  readonly revision: number;
  readonly previous_boot_id: string | null;
}

/**
 * Makes a session the one live link of its node; null when the node is banned, quarantined, or has seen this
 * generation before.
 */
export async function openSession(
  db: Knex,
  session: {
    nodeId: string;
    sessionId: string;
    replicaId: string;
    bootId: string;
    generation: number;
    agentVersion: string;
    capabilities: readonly string[];
  },
): Promise<SessionRow | null> {
  const { rows } = await db.raw<{ rows: SessionRow[] }>(
    `UPDATE nodes SET session_id = :sessionId, replica_id = :replicaId, boot_id = :bootId, generation = :generation,
            agent_version = :agentVersion, capabilities = :capabilities, connected_at = now(), lost_after = NULL
     FROM (SELECT id, boot_id FROM nodes WHERE id = :nodeId FOR UPDATE) AS before
     WHERE nodes.id = before.id AND banned_at IS NULL AND quarantined_at IS NULL AND generation < :generation
     RETURNING revision, before.boot_id AS previous_boot_id`,
    session,
  );
  return rows[0] ?? null;
}

/** Ends a session if it still is the live one; work is lost `graceMs` later unless the node is back. */
export async function closeSession(db: Knex, nodeId: string, sessionId: string, graceMs: number): Promise<void> {
  await db.raw(
    `UPDATE nodes SET session_id = NULL, replica_id = NULL,
            lost_after = now() + CASE WHEN banned_at IS NULL THEN :graceMs ELSE 0 END * interval '1 millisecond'
     WHERE id = :nodeId AND session_id = :sessionId`,
    { nodeId, sessionId, graceMs },
  );
}

/** Shuts out a node whose state directory was copied: an old generation came back with a valid signature. */
export async function quarantineNode(db: Knex, nodeId: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('UPDATE nodes SET quarantined_at = now() WHERE id = ? AND quarantined_at IS NULL', [nodeId]);
    const owner = await trx('nodes').where({ id: nodeId }).first<{ user_id: string } | undefined>('user_id');
    const accountId = owner?.user_id ?? null;
    await insertAuditEntry(trx, { actor: program, accountId, action: 'node.quarantined', subject: nodeId });
  });
}

/** Stores what the node with this live session found when it checked itself. */
export async function updateSelfTest(
  db: Knex,
  nodeId: string,
  sessionId: string,
  { finishedAt, checks }: SelfTestReport,
): Promise<void> {
  const report = JSON.stringify({ finished_at: new Date(finishedAt).toISOString(), checks });
  await db.raw('UPDATE nodes SET self_test = :report::jsonb WHERE id = :nodeId AND session_id = :sessionId', {
    report,
    nodeId,
    sessionId,
  });
}

/** The marks of a spool epoch, made at 0 where they did not exist. */
export async function ensureMarks(db: Knex, nodeId: string, epoch: Uint8Array): Promise<Record<Lane, number>> {
  const numbers = lanes.map(laneNumber);
  await db.raw(
    `INSERT INTO ingest_marks (node_id, epoch, lane, mark) SELECT ?, ?, lane, 0 FROM unnest(?::smallint[]) AS lane
     ON CONFLICT DO NOTHING`,
    [nodeId, Buffer.from(epoch), numbers],
  );
  const { rows } = await db.raw<{ rows: { lane: number; mark: number }[] }>(
    'SELECT lane, mark FROM ingest_marks WHERE node_id = ? AND epoch = ?',
    [nodeId, Buffer.from(epoch)],
  );
  const markOf = (lane: Lane) => rows.find((row) => row.lane === laneNumber(lane))?.mark ?? 0;
  return { task: markOf('task'), check: markOf('check') };
}

export interface ServerIdentityRow {
  readonly public_key: Buffer;
  readonly sealed_private_key: Buffer;
}

/** Stores the identity of this installation unless it has one. */
export async function insertServerIdentity(db: Knex, publicKey: Buffer, sealedPrivateKey: Buffer): Promise<void> {
  await db.raw(
    'INSERT INTO server_identity (id, public_key, sealed_private_key) VALUES (1, ?, ?) ON CONFLICT DO NOTHING',
    [publicKey, sealedPrivateKey],
  );
}

/** The identity of this installation, or null. */
export async function findServerIdentity(db: Knex): Promise<ServerIdentityRow | null> {
  const { rows } = await db.raw<{ rows: ServerIdentityRow[] }>(
    'SELECT public_key, sealed_private_key FROM server_identity',
  );
  return rows[0] ?? null;
}
