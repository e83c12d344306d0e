import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { TimeRange } from '../../../http/time-range.js';
import type { PingKind } from './heartbeat-state.js';

/** Ways by which a ping arrives: the method of a check-in, or a push by a client of Uptime Kuma. */
export const pingVias = ['GET', 'HEAD', 'POST', 'push'] as const;
export type PingVia = (typeof pingVias)[number];

/** Ping as it arrived. */
export interface NewPing {
  readonly kind: PingKind;
  /** 0..255 where `kind` is `exit`. */
  readonly exitCode: number | null;
  readonly body: Buffer;
  readonly ip: string;
  readonly via: PingVia;
  readonly rid: string | null;
  /** Duration in milliseconds that the caller reports, or null. */
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

/** Stores a ping that arrived at `at`; false if no heartbeat has the token. */
export async function storePing(db: Knex, tokenHash: Buffer, at: Date, ping: NewPing): Promise<boolean> {
  const { kind, exitCode, body, ip, via, rid, durationMs } = ping;
  const rows = await queryPrepared(db, STORE, [tokenHash, at, kind, exitCode, body, ip, via, rid, durationMs]);
  return rows.length > 0;
}

export interface StoredPing {
  /** Number among the pings of the monitor, from 1. */
  readonly seq: number;
  readonly at: Date;
  readonly kind: PingKind;
  readonly exit_code: number | null;
  readonly lacks_text: boolean;
  readonly duration_ms: number | null;
  readonly ip: string;
  readonly via: PingVia;
  readonly rid: string | null;
  /** Stored bytes of the body. */
  readonly body_bytes: number;
  /** Beginning of the stored body; null if it was empty. */
  readonly body: Buffer | null;
}

/** Selection of pings of a monitor. */
export interface PingsPage extends TimeRange {
  /** Null for all kinds. */
  readonly kind: PingKind | null;
  /** Number of the ping before the page, or null. */
  readonly afterSeq: number | null;
  readonly limit: number;
  /** Greatest number of bytes of each body that are read. */
  readonly bodyBytes: number;
}

// the page is chosen first: else bodies of all pings might be read to be sorted
const listOf = (condition: string) => `
  SELECT seq, at, kind, exit_code, lacks_text, duration_ms, ip, via, rid,
    coalesce(octet_length(body), 0) AS body_bytes, substring(body FROM 1 FOR $6) AS body
  FROM (
    SELECT seq, at, kind, exit_code, lacks_text, duration_ms, ip, via, rid, body FROM heartbeat_pings
    WHERE monitor_key = $1 AND at >= $2 AND at < $3 AND seq < $4 ${condition} ORDER BY seq DESC LIMIT $5
  ) p ORDER BY seq DESC`;
const LIST = { name: 'heartbeat-pings', text: listOf('') };
const LIST_OF_KIND = { name: 'heartbeat-pings-of-kind', text: listOf('AND kind = $7') };

/** Pings of a monitor, newest first. */
export function listPings(
  db: Knex,
  monitorKey: number,
  { kind, fromMs, toMs, afterSeq, limit, bodyBytes }: PingsPage,
): Promise<StoredPing[]> {
  const from = new Date(fromMs ?? 0);
  const to = toMs === null ? 'infinity' : new Date(toMs);
  const values = [monitorKey, from, to, afterSeq ?? Number.MAX_SAFE_INTEGER, limit, bodyBytes];
  return kind === null ? queryPrepared(db, LIST, values) : queryPrepared(db, LIST_OF_KIND, [...values, kind]);
}
