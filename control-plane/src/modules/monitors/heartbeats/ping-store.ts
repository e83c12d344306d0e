import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { PingKind } from './heartbeat-state.js';

/** Way by which a ping arrived: the method of a check-in, or a push by a client of Uptime Kuma. */
export type PingVia = 'GET' | 'HEAD' | 'POST' | 'push';

/** Ping as it arrived. */
export interface NewPing {
  readonly kind: PingKind;
  /** 0..255 where `kind` is `exit`. */
  readonly exitCode: number | null;
  readonly body: Buffer;
  readonly ip: string;
  readonly via: PingVia;
  readonly rid: string | null;
  /** Duration in milliseconds that the caller reports; null: none. */
  readonly durationMs: number | null;
}

// One statement: the ping is stored under the next number of its heartbeat, no earlier than the one before, and the heartbeat
// is due. The row's lock puts pings that come together in an order.
const STORE = {
  name: 'heartbeat-ping-store',
  text: `
  WITH taken AS (
    UPDATE heartbeats h SET ping_count = h.ping_count + 1, last_ping_at = greatest(h.last_ping_at, $2::timestamptz),
      last_ping_ip = $6, last_ping_via = $7, due_at = least(h.due_at, $2),
      unjudged_since = coalesce(h.unjudged_since, greatest(h.last_ping_at, $2))
    FROM monitors m WHERE h.token_hash = $1 AND m.id = h.monitor_id
    RETURNING m.key, h.ping_count, h.last_ping_at, m.config->>'assert_body_contains' AS needle
  )
  INSERT INTO heartbeat_pings (at, monitor_key, seq, kind, exit_code, lacks_text, body, ip, via, rid, duration_ms)
  SELECT last_ping_at, key, ping_count, $3, $4::smallint,
    needle IS NOT NULL AND position(convert_to(needle, 'UTF8') IN $5::bytea) = 0,
    nullif($5, ''::bytea), $6, $7, $8, $9::bigint
  FROM taken RETURNING seq`,
};

/** Stores a ping that arrived at `at`; false: no heartbeat has the token. */
export async function storePing(db: Knex, tokenHash: Buffer, at: Date, ping: NewPing): Promise<boolean> {
  const { kind, exitCode, body, ip, via, rid, durationMs } = ping;
  const rows = await queryPrepared(db, STORE, [tokenHash, at, kind, exitCode, body, ip, via, rid, durationMs]);
  return rows.length > 0;
}
