import { definitionOf } from '@vantage/shared/probe-types/index.js';
import type { ResultMessage } from '@vantage/shared/protocol/codec.js';

const REPLIES = 3;

/** A ping of three packets that succeeded, as a node would deliver it: some 500 bytes of JSON. */
export function pingResult(taskId: string): ResultMessage {
  return {
    taskId,
    probeType: 'ping',
    resultJson: body,
    finishedAtMs: Date.now(),
    clockOffsetMs: 1.5,
    uncertaintyMs: 3,
  };
}

const body = Buffer.from(pingResultJson());

/** The result's JSON. */
export function pingResultJson(): string {
  const blank = definitionOf('ping').blank({ target: '192.0.2.1', params: {} } as never) as object;
  const replies = Array.from({ length: REPLIES }, (_, index) => ({
    seq: index + 1,
    ttl: 57,
    rtt_ms: 12.345 + index,
    duplicate: false,
    late: false,
    icmp_error: null,
  }));
  return JSON.stringify({
    ...blank,
    success: true,
    error: null,
    started_at: new Date().toISOString(),
    duration_ms: 2_013.4,
    disturbed: false,
    loop_lag_ms: 0.2,
    resolved_ip: '192.0.2.1',
    ip_version: 4,
    packets_sent: REPLIES,
    packets_received: REPLIES,
    loss_pct: 0,
    rtt: { min_ms: 12.345, avg_ms: 13.345, max_ms: 14.345, mdev_ms: 0.816, p95_ms: 14.345 },
    replies,
  });
}
