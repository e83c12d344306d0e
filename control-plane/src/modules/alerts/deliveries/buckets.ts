import type { Bucket } from '../types/channel-type.js';

// Vendors count messages in any window of time, so each bucket keeps the instants of the last `count` messages: a bucket that only
// refills would let twice as many through within one window.

/** A bucket with the name under which all replicas share it. */
export interface KeyedBucket extends Bucket {
  readonly key: string;
}

/** Instants of messages, oldest first, in milliseconds since the epoch. */
export type Taken = readonly number[];

/** Delay until a message fits. */
export interface Wait {
  /** Milliseconds; 0: it fits now. */
  readonly waitMs: number;
  /** True if only this recipient has to wait, and other messages of the channel do not. */
  readonly isOfRecipient: boolean;
}

/**
 * Delay until one more message fits into every bucket. Buckets with the same key share their instants, and differ in count and
 * window.
 */
export function waitFor(buckets: readonly KeyedBucket[], taken: ReadonlyMap<string, Taken>, nowMs: number): Wait {
  const longest = (of: readonly KeyedBucket[]) =>
    Math.max(0, ...of.map((bucket) => waitOf(bucket, taken.get(bucket.key) ?? [], nowMs)));
  const shared = longest(buckets.filter(({ of }) => of !== 'recipient'));
  const own = longest(buckets.filter(({ of }) => of === 'recipient'));
  return { waitMs: Math.max(shared, own), isOfRecipient: own > 0 && shared === 0 };
}

function waitOf({ count, perMs }: KeyedBucket, taken: Taken, nowMs: number): number {
  const oldest = taken.filter((atMs) => atMs > nowMs - perMs).at(-count);
  return oldest === undefined ? 0 : oldest + perMs - nowMs;
}

/** Number of messages that fit into every bucket from `nowMs` until `withinMs` later; Infinity: there is no bucket. */
export function roomWithin(
  buckets: readonly KeyedBucket[],
  taken: ReadonlyMap<string, Taken>,
  { nowMs, withinMs }: { readonly nowMs: number; readonly withinMs: number },
): number {
  const rooms = buckets.map(({ key, count, perMs }) => {
    const sinceMs = nowMs - perMs + (perMs > withinMs ? withinMs : 0);
    const used = (taken.get(key) ?? []).filter((atMs) => atMs > sinceMs).slice(-count).length;
    return count * Math.max(1, Math.floor(withinMs / perMs)) - used;
  });
  return Math.max(0, Math.min(Number.POSITIVE_INFINITY, ...rooms));
}

/** Instants after a message at `nowMs`: those that some bucket of this key may still count. */
export function takenAfter(buckets: readonly KeyedBucket[], key: string, before: Taken, nowMs: number): Taken {
  const own = buckets.filter((bucket) => bucket.key === key);
  const most = Math.max(...own.map(({ count }) => count));
  const longestMs = Math.max(...own.map(({ perMs }) => perMs));
  // clocks of replicas differ: the list stays in order
  const atMs = Math.max(nowMs, before.at(-1) ?? 0);
  return [...before.filter((earlier) => earlier > nowMs - longestMs), atMs].slice(-most);
}

/** Buckets of a message, named by `keyOf`; `maxPerMinute` is the channel's own limit. */
export function bucketsOf(
  buckets: readonly Bucket[],
  maxPerMinute: number | null,
  keyOf: (of: Bucket['of']) => string,
): KeyedBucket[] {
  const own: readonly Bucket[] = maxPerMinute === null ? [] : [{ count: maxPerMinute, perMs: 60_000, of: 'channel' }];
  return [...buckets, ...own].map((bucket) => ({ ...bucket, key: keyOf(bucket.of) }));
}

/** Greatest limit per minute that a channel of a type may have: the limit of the type, at least 1. */
export function mostPerMinute(buckets: readonly Bucket[]): number {
  const shared = buckets.filter(({ of }) => of !== 'recipient');
  const rates = shared.map(({ count, perMs }) => Math.floor((count * 60_000) / perMs));
  return Math.max(1, Math.min(60, ...rates));
}
