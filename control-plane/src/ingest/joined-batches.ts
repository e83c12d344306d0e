import { firstOf, rowsOf, type StoreBatch } from './batch.js';

// Small batches of one node that wait here are stored as one batch: separately, each would cost a transaction, that is
// a wait for the disk, which all nodes share.
//
//   1..1 | 2..2 | 3..7 | 8..8      ──>  1..8
//   ..500 again | ..1000 again     ──>  ..1000 again     whether the database has all of it is asked once
//
// The joined batch stays small, because others wait for its transaction too.

const MAX_JOINED_NUMBERS = 100;

/** True if `next` can be stored together with the batches of its node and lane from `first` to `previous`. */
export function canJoin(first: StoreBatch, previous: StoreBatch, next: StoreBatch): boolean {
  if (next.nodeId !== first.nodeId || next.sessionId !== first.sessionId || !next.epoch.equals(first.epoch))
    return false;
  if (next.kind !== first.kind) return false;
  if (next.kind === 'question') return next.last >= previous.last;
  return next.first === previous.last + 1 && next.last - firstOf(first) < MAX_JOINED_NUMBERS;
}

/** Single batch that replaces the given ones, in their order. */
export function joinBatches(batches: readonly [StoreBatch, ...StoreBatch[]]): StoreBatch {
  const [head] = batches;
  const last = batches[batches.length - 1] ?? head;
  if (batches.length === 1) return head;
  if (head.kind === 'question') return last;
  return { ...head, last: last.last, rows: batches.flatMap(rowsOf) };
}
