import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { HeartbeatConfig } from './heartbeat-config.js';
import type { HeartbeatPhase, PingKind } from './heartbeat-state.js';

/** Ping that has not been judged yet. */
export interface PingRow {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly kind: PingKind;
  readonly exit_code: number | null;
  readonly lacks_text: boolean;
  readonly rid: string | null;
}

interface StoredRun {
  /** Start, ISO 8601. */
  readonly at: string;
  readonly rid: string | null;
}

/** Heartbeat with everything that decides its state. */
export interface HeartbeatRow {
  readonly monitor_id: string;
  readonly monitor_key: number;
  readonly is_active: boolean;
  readonly config: HeartbeatConfig;
  readonly sealed_token: Buffer;
  readonly last_ping_at: Date | null;
  readonly last_ping_ip: string | null;
  readonly last_ping_via: string | null;
  readonly ping_count: number;
  readonly judged_seq: number;
  readonly phase: HeartbeatPhase;
  readonly expected_at: Date | null;
  readonly alert_after: Date | null;
  readonly started_at: Date | null;
  readonly started_rid: string | null;
  /** Runs that began before that one and have not ended, the oldest first; null if there are none. */
  readonly earlier_runs: readonly StoredRun[] | null;
  readonly down_at: Date | null;
  readonly down_reason: string | null;
  /** Pings after `judged_seq`, in order. */
  readonly pings: readonly PingRow[];
}

/** Columns of a heartbeat that judgments write. */
export type StateColumns = Pick<
  HeartbeatRow,
  'phase' | 'expected_at' | 'alert_after' | 'started_at' | 'started_rid' | 'earlier_runs' | 'down_at' | 'down_reason'
>;

export interface StoredToken {
  readonly tokenHash: Buffer;
  readonly sealedToken: Buffer;
}

const MAX_UNJUDGED = 1_000;

// pings are read only from the partitions since the first that was not judged
const ROW = `
  SELECT h.monitor_id, m.key AS monitor_key, m.status = 'active' AS is_active, m.config, h.sealed_token,
    h.last_ping_at, h.last_ping_ip, h.last_ping_via, h.ping_count, h.judged_seq, h.phase, h.expected_at, h.alert_after,
    h.started_at, h.started_rid, h.earlier_runs, h.down_at, h.down_reason,
    (SELECT coalesce(json_agg(p ORDER BY p.seq), '[]') FROM (
       SELECT seq, at, kind, exit_code, lacks_text, rid FROM heartbeat_pings
       WHERE monitor_key = m.key AND at >= h.unjudged_since AND seq > h.judged_seq ORDER BY seq LIMIT ${MAX_UNJUDGED}
     ) p) AS pings
  FROM heartbeats h JOIN monitors m ON m.id = h.monitor_id`;

const FIND_OF_MONITOR = { name: 'heartbeat-of-monitor', text: `${ROW} WHERE h.monitor_id = $1` };
const READ_OF_MONITORS = { name: 'heartbeats-of-monitors', text: `${ROW} WHERE h.monitor_id = ANY($1::text[])` };

/** Stores the heartbeat of a new monitor. */
export async function insertHeartbeat(
  trx: Knex,
  { monitorId, token }: { readonly monitorId: string; readonly token: StoredToken },
): Promise<void> {
  await trx('heartbeats').insert({
    monitor_id: monitorId,
    token_hash: token.tokenHash,
    sealed_token: token.sealedToken,
  });
}

/** Replaces the token of a heartbeat, and the part of it that its monitor shows. */
export async function updateToken(
  trx: Knex,
  monitorId: string,
  { token, shown, at }: { readonly token: StoredToken; readonly shown: string; readonly at: Date },
): Promise<void> {
  await trx('heartbeats')
    .where({ monitor_id: monitorId })
    .update({ token_hash: token.tokenHash, sealed_token: token.sealedToken });
  await trx('monitors').where({ id: monitorId }).update({ target: shown, updated_at: at });
}

/** Heartbeat of a monitor, or null. */
export async function findHeartbeat(db: Knex, monitorId: string): Promise<HeartbeatRow | null> {
  const [row] = await queryPrepared<HeartbeatRow>(db, FIND_OF_MONITOR, [monitorId]);
  return row ?? null;
}

/** Locks the heartbeats of monitors, which blocks pings and judgments. */
export async function lockHeartbeats(trx: Knex, monitorIds: readonly string[]): Promise<HeartbeatRow[]> {
  await trx.raw('SELECT FROM heartbeats WHERE monitor_id = ANY(?) ORDER BY monitor_id FOR UPDATE', [[...monitorIds]]);
  return readHeartbeats(trx, monitorIds);
}

/** Claims due heartbeats; no one else can claim them until the transaction ends. */
export async function claimDue(trx: Knex, now: Date, limit: number): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { monitor_id: string }[] }>(
    'SELECT monitor_id FROM heartbeats WHERE due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED',
    [now, limit],
  );
  return rows.map(({ monitor_id }) => monitor_id);
}

/** Heartbeats of these monitors; the caller has locked them. */
export function readHeartbeats(trx: Knex, monitorIds: readonly string[]): Promise<HeartbeatRow[]> {
  return queryPrepared<HeartbeatRow>(trx, READ_OF_MONITORS, [[...monitorIds]]);
}

/** Writes the results of a judgment of locked heartbeats; those with pings not yet judged are due immediately. */
export async function updateJudged(
  trx: Knex,
  rows: readonly (StateColumns & {
    readonly monitor_id: string;
    readonly judged_seq: number;
    readonly due_at: Date | null;
  })[],
): Promise<void> {
  await trx.raw(
    `UPDATE heartbeats h SET phase = g.phase, expected_at = g.expected_at, alert_after = g.alert_after,
       started_at = g.started_at, started_rid = g.started_rid, earlier_runs = g.earlier_runs, down_at = g.down_at, down_reason = g.down_reason,
       judged_seq = g.judged_seq,
       unjudged_since = CASE WHEN g.judged_seq < h.ping_count THEN h.unjudged_since END,
       due_at = CASE WHEN g.judged_seq < h.ping_count THEN h.due_at ELSE g.due_at END
     FROM jsonb_to_recordset(?) AS g(monitor_id text, phase text, expected_at timestamptz, alert_after timestamptz,
       started_at timestamptz, started_rid text, earlier_runs jsonb, down_at timestamptz, down_reason text, judged_seq bigint, due_at timestamptz)
     WHERE h.monitor_id = g.monitor_id`,
    [JSON.stringify(rows)],
  );
}

/** Stores the durations of runs with the pings that ended them. */
export async function updateDurations(
  trx: Knex,
  runs: readonly {
    readonly monitor_key: number;
    readonly seq: number;
    readonly at: Date;
    readonly duration_ms: number;
  }[],
): Promise<void> {
  if (runs.length === 0) return;
  await trx.raw(
    `UPDATE heartbeat_pings p SET duration_ms = g.duration_ms
     FROM jsonb_to_recordset(?) AS g(monitor_key integer, seq bigint, at timestamptz, duration_ms bigint)
     WHERE p.monitor_key = g.monitor_key AND p.seq = g.seq AND p.at = g.at`,
    [JSON.stringify(runs)],
  );
}
