import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { Knex } from 'knex';
import { program } from '../../audit-log/actor.js';
import { happened } from '../../audit-log/happened.js';
import { Batcher } from '../../db/batcher.js';
import type { LaneNumbers } from './catch-up.js';
import type { FoundLink, KnownLink } from './known-link.js';
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

/** Hello of an unauthenticated peer that shares no protocol version with this program. */
export interface RefusedVersion {
  readonly nodeId: string;
  readonly asked: readonly number[];
  readonly agentVersion: string;
}

/** Links in one statement at most. */
const OPENINGS_AT_ONCE = 200;

/**
 * Database records that links read and write of their nodes. Each call is one transaction, or part of one together with
 * similar calls.
 */
export interface LinkRecords {
  findNode(nodeId: string): Promise<LinkNodeRow | null>;
  open(session: NewSession): Promise<SessionRow | null>;
  close(nodeId: string, sessionId: string, graceMs: number): Promise<void>;
  quarantine(nodeId: string): Promise<void>;
  /** Notes the refusal of a node that is offline, once a minute at most. @returns true if it was noted */
  noteRefusedVersion(refused: RefusedVersion): Promise<boolean>;
  updateSelfTest(nodeId: string, sessionId: string, report: SelfTestReport): Promise<void>;
  ensureMarks(nodeId: string, epoch: Uint8Array): Promise<LaneNumbers>;
  /** Records of these links; none for a node that the database does not know. */
  findLinks(links: readonly KnownLink[]): Promise<FoundLink[]>;
  /** The nonce of the rotation a node is asked for, or null. */
  findRotationNonce(nodeId: string): Promise<Buffer | null>;
  changeKey(change: KeyChange): Promise<KeyOutcome>;
  /** Stores a reply to an upgrade request. @returns false if that upgrade has ended */
  reportUpgrade(report: UpgradeReport): Promise<boolean>;
  finishUpgrade(nodeId: string): Promise<boolean>;
}

/** Records of links in a database. Queries that every link needs to open are batched: agents come in thousands. */
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
    // one at a time: the peer is not authenticated
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

/** Ends a session if it is still the live one; its work is lost `graceMs` later unless the node is back. */
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
    const { rows } = await trx.raw<{ rows: { owner_id: string; name: string; quarantined_at: Date }[] }>(
      `UPDATE nodes SET quarantined_at = now() WHERE id = ? AND quarantined_at IS NULL
       RETURNING owner_id, name, quarantined_at`,
      [nodeId],
    );
    const [node] = rows;
    if (node === undefined) return;
    await trx('node_presence').where({ node_id: nodeId }).update({ is_online: false });
    const { owner_id: ownerId, name, quarantined_at: at } = node;
    const payload = { node: { id: nodeId, name }, reason: 'quarantined', since: at.toISOString() };
    await happened(trx, {
      actor: program,
      accountId: ownerId,
      action: 'node.quarantined',
      subject: nodeId,
      event: { kind: 'node.banned', ownerId, isTest: false, subject: nodeId, payload },
    });
  });
}

/**
 * Notes that a peer which named this node shares no protocol version with this program.
 * @returns one entry: true if it was noted
 */
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

/** Stores the self-test of a node, from its live session only. */
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

/** Record of each link; none for a node that the database does not know. */
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
