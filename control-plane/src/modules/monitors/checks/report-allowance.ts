import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from '../../../runtime/log.js';
import { readRecentLoad } from '../definition/assignment-store.js';

// A node's checks are stored as it reports them, so a node that reports more checks than its monitors have slots would fill the
// disk. The stored reports of a node are a bucket that leaks twice as fast as its monitors have slots, and holds what an honest agent
// can have kept for later: three days.

/** Longest time for which the spool of an agent keeps reports. */
const BACKLOG_SECONDS = 72 * 3_600;
/** Reports that a node may make beyond its slots: checks on request, and runs of missed slots. */
const SURPLUS = 2;
/** Reports per second that any node may have stored, even with few monitors: the rate of a monitor with the shortest interval. */
const LEAST_PER_SECOND = 0.2;
const KNOWN_FOR_MS = 60_000;
const WARN_EVERY_MS = 60_000;
const MAX_NODES = 100_000;

interface Bucket {
  /** Stored reports, less those that have leaked since. */
  stored: number;
  /** Monotonic milliseconds, as all times here. */
  atMs: number;
  perSecond: number;
  loadReadMs: number;
  warnedMs: number;
}

interface ReportAllowanceOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads the slots per second of the monitors that a node has, or had within the last days. */
  readonly readLoad?: (db: Knex, nodeId: string) => Promise<number>;
}

/** Limits how many reports about its monitors a node may have stored, on one replica. */
export class ReportAllowance {
  readonly #buckets = new Map<string, Bucket>();

  constructor(private readonly options: ReportAllowanceOptions) {}

  /** Rows that may be stored, in order. Nothing is spent until `spend`, since a transaction may fail. */
  async fitting<R extends { readonly nodeId: string }>(db: Knex, rows: readonly R[]): Promise<readonly R[]> {
    const room = new Map<string, number>();
    for (const [nodeId, count] of countByNode(rows)) room.set(nodeId, await this.#roomFor(db, nodeId, count));
    const fitting = rows.filter(({ nodeId }) => {
      const left = room.get(nodeId) ?? 0;
      room.set(nodeId, left - 1);
      return left >= 1;
    });
    if (fitting.length < rows.length) this.#warn(room);
    return fitting;
  }

  /** Counts rows that were committed. */
  spend(rows: readonly { readonly nodeId: string }[]): void {
    for (const [nodeId, count] of countByNode(rows)) this.#bucketOf(nodeId).stored += count;
  }

  async #roomFor(db: Knex, nodeId: string, count: number): Promise<number> {
    const bucket = this.#bucketOf(nodeId);
    const nowMs = this.options.clock.monotonicMs();
    // a node within the rate of any node needs no query
    if (roomIn(bucket) < count && nowMs - bucket.loadReadMs >= KNOWN_FOR_MS) {
      const load = await (this.options.readLoad ?? readRecentLoad)(db, nodeId);
      bucket.perSecond = Math.max(LEAST_PER_SECOND, SURPLUS * load);
      bucket.loadReadMs = nowMs;
    }
    return Math.floor(roomIn(bucket));
  }

  #bucketOf(nodeId: string): Bucket {
    const nowMs = this.options.clock.monotonicMs();
    const bucket = this.#buckets.get(nodeId) ?? {
      stored: 0,
      atMs: nowMs,
      perSecond: LEAST_PER_SECOND,
      loadReadMs: Number.NEGATIVE_INFINITY,
      warnedMs: Number.NEGATIVE_INFINITY,
    };
    if (this.#buckets.size >= MAX_NODES) this.#buckets.clear();
    this.#buckets.set(nodeId, bucket);
    bucket.stored = Math.max(0, bucket.stored - (bucket.perSecond * (nowMs - bucket.atMs)) / 1_000);
    bucket.atMs = nowMs;
    return bucket;
  }

  #warn(room: ReadonlyMap<string, number>): void {
    const nowMs = this.options.clock.monotonicMs();
    for (const [nodeId, left] of room) {
      const bucket = this.#bucketOf(nodeId);
      if (left >= 0 || nowMs - bucket.warnedMs < WARN_EVERY_MS) continue;
      bucket.warnedMs = nowMs;
      this.options.log.warn(
        { nodeId, reports: -left },
        'node reports more checks than its monitors have slots, ignoring them',
      );
    }
  }
}

function roomIn({ stored, perSecond }: Bucket): number {
  return perSecond * BACKLOG_SECONDS - stored;
}

function countByNode(rows: readonly { readonly nodeId: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { nodeId } of rows) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  return counts;
}
