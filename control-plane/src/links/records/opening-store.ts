import { type Lane, lanes } from '@vantage/shared/protocol/codec.js';
import type { Knex } from 'knex';
import type { LaneNumbers } from './catch-up.js';

// Queries of links that open, for many links at once; every function returns its results in the order of its arguments.

// NOTE: lane numbers in ingest_marks are those of proto/link.proto
const LANE_NUMBERS: Record<Lane, number> = { task: 1, check: 2 };

/** The number of a lane in tables. */
export function laneNumber(lane: Lane): number {
  return LANE_NUMBERS[lane];
}

/** A node as a handshake knows it. */
export interface LinkNodeRow {
  readonly id: string;
  readonly public_key: Buffer;
  readonly generation: number;
  readonly is_banned: boolean;
  readonly is_quarantined: boolean;
  readonly is_deleted: boolean;
}

/** Data of each node that a handshake needs; null if the node does not exist. */
export async function findLinkNodes(db: Knex, nodeIds: readonly string[]): Promise<(LinkNodeRow | null)[]> {
  const { rows } = await db.raw<{ rows: LinkNodeRow[] }>(
    `SELECT id, public_key, generation, banned_at IS NOT NULL AS is_banned, quarantined_at IS NOT NULL AS is_quarantined,
            deleted_at IS NOT NULL AS is_deleted
     FROM nodes WHERE id = ANY(?::text[])`,
    [[...nodeIds]],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return nodeIds.map((id) => byId.get(id) ?? null);
}

/** Changes made by opening a link. */
export interface SessionRow {
  readonly revision: number;
  /** Number of the first link that the running process of the agent opened. */
  readonly boot_opening: number;
  /** True if the agent came with the version of an upgrade that is not noted as done yet. */
  readonly is_upgraded: boolean;
}

/** Link whose peer has proved which node it is. */
export interface NewSession {
  readonly nodeId: string;
  /** Public key that the peer has proved to hold, raw. */
  readonly publicKey: Uint8Array;
  readonly sessionId: string;
  readonly replicaId: string;
  readonly bootId: string;
  readonly generation: number;
  readonly agentVersion: string;
  /** Names without a space. */
  readonly capabilities: readonly string[];
}

/**
 * Makes each session the one live link of its node; null if the node is banned, quarantined or deleted, has another key
 * by now, or has already used this generation. Of two sessions of one node, the second is opened after the first.
 */
export async function openSessions(db: Knex, sessions: readonly NewSession[]): Promise<(SessionRow | null)[]> {
  const first = sessions.filter((session, index) => sessions.findIndex((s) => s.nodeId === session.nodeId) === index);
  const opened = await openDistinct(db, first);
  const rest = sessions.filter((session) => !first.includes(session));
  const openedLater = rest.length === 0 ? [] : await openSessions(db, rest);
  return sessions.map((session) => opened.get(session.sessionId) ?? openedLater[rest.indexOf(session)] ?? null);
}

// rows are locked in the order of their ids, like in ingest: replicas never deadlock
const OPEN = `
  UPDATE nodes SET session_id = s.session_id, replica_id = s.replica_id, boot_id = s.boot_id, generation = s.generation,
         agent_version = s.agent_version, capabilities = string_to_array(s.capabilities, ' '), connected_at = now(), lost_after = NULL,
         version_refused = NULL, opening = before.opening + 1,
         boot_seen_at = CASE WHEN before.boot_id = s.boot_id AND before.boot_seen_at IS NOT NULL THEN before.boot_seen_at ELSE now() END,
         boot_opening = CASE WHEN before.boot_id = s.boot_id THEN before.boot_opening ELSE before.opening + 1 END
  FROM (SELECT id, boot_id, boot_seen_at, opening, boot_opening FROM nodes WHERE id = ANY(:nodeIds::text[]) ORDER BY id FOR UPDATE) AS before,
       unnest(:nodeIds::text[], :sessionIds::text[], :replicaIds::text[], :bootIds::text[], :generations::bigint[],
              :agentVersions::text[], :capabilities::text[], :publicKeys::bytea[])
         AS s(node_id, session_id, replica_id, boot_id, generation, agent_version, capabilities, public_key)
  WHERE nodes.id = before.id AND s.node_id = before.id
    AND nodes.banned_at IS NULL AND nodes.quarantined_at IS NULL AND nodes.deleted_at IS NULL
    AND nodes.public_key = s.public_key AND nodes.generation < s.generation
  RETURNING nodes.session_id, nodes.revision, nodes.boot_opening,
            (nodes.upgrade_version = nodes.agent_version AND nodes.upgrade_state <> 'done') IS TRUE AS is_upgraded`;

async function openDistinct(db: Knex, sessions: readonly NewSession[]): Promise<Map<string, SessionRow>> {
  const { rows } = await db.raw<{ rows: (SessionRow & { readonly session_id: string })[] }>(OPEN, {
    nodeIds: sessions.map(({ nodeId }) => nodeId),
    sessionIds: sessions.map(({ sessionId }) => sessionId),
    replicaIds: sessions.map(({ replicaId }) => replicaId),
    bootIds: sessions.map(({ bootId }) => bootId),
    generations: sessions.map(({ generation }) => generation),
    agentVersions: sessions.map(({ agentVersion }) => agentVersion),
    capabilities: sessions.map(({ capabilities }) => capabilities.join(' ')),
    publicKeys: sessions.map(({ publicKey }) => Buffer.from(publicKey)),
  });
  return new Map(rows.map(({ session_id, ...row }) => [session_id, row]));
}

/** The rows of one node under one epoch. */
export interface Spool {
  readonly nodeId: string;
  readonly epoch: Uint8Array;
}

/** Marks of each spool, created at 0 if they did not exist. */
export async function ensureMarks(db: Knex, spools: readonly Spool[]): Promise<LaneNumbers[]> {
  const wanted = {
    nodeIds: spools.map(({ nodeId }) => nodeId),
    epochs: spools.map(({ epoch }) => Buffer.from(epoch)),
  };
  const numbers = lanes.map(laneNumber);
  await db.raw(
    `INSERT INTO ingest_marks (node_id, epoch, lane, mark)
     SELECT DISTINCT s.node_id, s.epoch, lane, 0
     FROM unnest(:nodeIds::text[], :epochs::bytea[]) AS s(node_id, epoch), unnest(:numbers::smallint[]) AS lane
     ON CONFLICT DO NOTHING`,
    { ...wanted, numbers },
  );
  const { rows } = await db.raw<{ rows: { number: number; lane: number; mark: number }[] }>(
    `SELECT s.number, m.lane, m.mark
     FROM unnest(:nodeIds::text[], :epochs::bytea[]) WITH ORDINALITY AS s(node_id, epoch, number)
     JOIN ingest_marks m ON m.node_id = s.node_id AND m.epoch = s.epoch`,
    wanted,
  );
  const marks = spools.map((): Record<Lane, number> => ({ task: 0, check: 0 }));
  for (const { number, lane, mark } of rows) {
    const own = marks[number - 1];
    const name = lanes.find((known) => laneNumber(known) === lane);
    if (own !== undefined && name !== undefined) own[name] = mark;
  }
  return marks;
}

/** Nonce of the rotation that each node is asked for, or null. */
export async function findRotationNonces(db: Knex, nodeIds: readonly string[]): Promise<(Buffer | null)[]> {
  const rows = await db('nodes')
    .whereIn('id', [...nodeIds])
    .whereNotNull('rotation_nonce')
    .select<{ id: string; rotation_nonce: Buffer }[]>('id', 'rotation_nonce');
  const byId = new Map(rows.map((row) => [row.id, row.rotation_nonce]));
  return nodeIds.map((id) => byId.get(id) ?? null);
}
