import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { Knex } from 'knex';
import { program } from '../actor.js';
import { Batcher } from '../db/batcher.js';
import { insertAuditEntry } from '../modules/audit/index.js';
import type { LaneNumbers } from './catch-up.js';
import type { FoundLink, KnownLink } from './lost-records.js';
import {
  ensureMarks,
  findLinkNodes,
  findRotationNonces,
  type LinkNodeRow,
  laneNumber,
  type NewSession,
  openSessions,
  type SessionRow,
  type Spool,
} from './opening-store.js';
import { changeNodeKey, type KeyChange, type KeyOutcome } from './rotation-store.js';
import { finishUpgrade, storeUpgradeReport, type UpgradeReport } from './upgrade-store.js';

/** What a peer asked for that speaks no protocol version of ours; it has proved nothing. */
export interface RefusedVersion {
  readonly nodeId: string;
  readonly asked: readonly number[];
  readonly agentVersion: string;
}

/** Links in one statement at most. */
const OPENINGS_AT_ONCE = 200;

/** What links write of their nodes, and read of them; each call is one transaction, or part of one with others like it. */
export interface LinkRecords {
  findNode(nodeId: string): Promise<LinkNodeRow | null>;
  open(session: NewSession): Promise<SessionRow | null>;
  close(nodeId: string, sessionId: string, graceMs: number): Promise<void>;
  quarantine(nodeId: string): Promise<void>;
  /** Whether this was news: kept of nodes that are offline, once a minute. */
  noteRefusedVersion(refused: RefusedVersion): Promise<boolean>;
  updateSelfTest(nodeId: string, sessionId: string, report: SelfTestReport): Promise<void>;
  ensureMarks(nodeId: string, epoch: Uint8Array): Promise<LaneNumbers>;
  /** What the database says of these links; none of a node it does not know. */
  findLinks(links: readonly KnownLink[]): Promise<FoundLink[]>;
  /** The nonce of the rotation a node is asked for, or null. */
  findRotationNonce(nodeId: string): Promise<Buffer | null>;
  changeKey(change: KeyChange): Promise<KeyOutcome>;
  /** False: that upgrade has ended. */
  reportUpgrade(report: UpgradeReport): Promise<boolean>;
  finishUpgrade(nodeId: string): Promise<boolean>;
}

/** The links' records in a database. What every link asks when it opens is asked for many at once: agents come in thousands. */
export function linkRecords(db: Knex): LinkRecords {
  const batched = <T, R>(flush: (items: readonly T[]) => Promise<readonly R[]>, maxItems = OPENINGS_AT_ONCE) => {
    const batcher = new Batcher<T, R>({ maxItems, flush });
    return (item: T) => batcher.add(item);
  };
  return {
    findNode: batched((nodeIds) => findLinkNodes(db, nodeIds)),
    open: batched((sessions) => openSessions(db, sessions)),
    close: (nodeId, sessionId, graceMs) => closeSession(db, nodeId, sessionId, graceMs),
    quarantine: (nodeId) => quarantineNode(db, nodeId),
    // one at a time: anybody may name a node
    noteRefusedVersion: batched((refused) => noteRefusedVersion(db, refused[0]), 1),
    updateSelfTest: (nodeId, sessionId, report) => updateSelfTest(db, nodeId, sessionId, report),
    ensureMarks: pair(batched((spools) => ensureMarks(db, spools))),
    findLinks: (links) => findLinks(db, links),
    findRotationNonce: batched((nodeIds) => findRotationNonces(db, nodeIds)),
    changeKey: (change) => changeNodeKey(db, change),
    reportUpgrade: (report) => storeUpgradeReport(db, report),
    finishUpgrade: (nodeId) => finishUpgrade(db, nodeId),
  };
}

function pair(ensure: (spool: Spool) => Promise<LaneNumbers>): LinkRecords['ensureMarks'] {
  return (nodeId, epoch) => ensure({ nodeId, epoch });
}

/** Ends a session if it still is the live one; work is lost `graceMs` later unless the node is back. */
async function closeSession(db: Knex, nodeId: string, sessionId: string, graceMs: number): Promise<void> {
  await db.raw(
    `UPDATE nodes SET session_id = NULL, replica_id = NULL,
            lost_after = now() + CASE WHEN banned_at IS NULL THEN :graceMs ELSE 0 END * interval '1 millisecond'
     WHERE id = :nodeId AND session_id = :sessionId`,
    { nodeId, sessionId, graceMs },
  );
}

/** Shuts out a node whose state directory was copied: an old generation came back with a valid signature. */
async function quarantineNode(db: Knex, nodeId: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('UPDATE nodes SET quarantined_at = now() WHERE id = ? AND quarantined_at IS NULL', [nodeId]);
    const owner = await trx('nodes').where({ id: nodeId }).first<{ user_id: string } | undefined>('user_id');
    const accountId = owner?.user_id ?? null;
    await insertAuditEntry(trx, { actor: program, accountId, action: 'node.quarantined', subject: nodeId });
  });
}

/** Keeps that a peer which named this node has no protocol version in common with us; one answer. */
async function noteRefusedVersion(db: Knex, refused: RefusedVersion | undefined): Promise<boolean[]> {
  if (refused === undefined) return [];
  const { nodeId, asked, agentVersion } = refused;
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `UPDATE nodes SET version_refused = jsonb_build_object('asked', :asked::jsonb, 'agent_version', :agentVersion::text, 'at', now())
     WHERE id = :nodeId AND session_id IS NULL AND deleted_at IS NULL
       AND (version_refused IS NULL OR (version_refused ->> 'at')::timestamptz < now() - interval '1 minute')
     RETURNING id`,
    { nodeId, agentVersion, asked: JSON.stringify(asked) },
  );
  return [rows.length > 0];
}

/** Stores what the node with this live session found when it checked itself. */
async function updateSelfTest(
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

/** What the database says of each link; none of a node it does not know. */
async function findLinks(db: Knex, links: readonly KnownLink[]): Promise<FoundLink[]> {
  const { rows } = await db.raw<{ rows: { id: string; generation: number; marks: Record<string, number> }[] }>(
    `SELECT n.id, n.generation, (
       SELECT coalesce(json_object_agg(m.lane, m.mark), '{}') FROM ingest_marks m
       WHERE m.node_id = l.id AND m.epoch = l.epoch
     ) AS marks
     FROM unnest(?::text[], ?::bytea[]) AS l(id, epoch) JOIN nodes n ON n.id = l.id`,
    [links.map(({ nodeId }) => nodeId), links.map(({ epoch }) => epoch)],
  );
  return rows.map(({ id, generation, marks }) => ({
    nodeId: id,
    generation,
    marks: { task: marks[laneNumber('task')] ?? 0, check: marks[laneNumber('check')] ?? 0 },
  }));
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
