import type { StoreBatch } from './store.js';

// What one node delivers in small batches and waits here is stored as one batch: each of its own would cost a
// transaction, that is a wait for the disk, and all other nodes share those.
//
//   1..1 | 2..2 | 3..7 | 8..8      ──>  1..8
//   ..500 again | ..1000 again     ──>  ..1000 again     whether the database has all of it is asked once
//
// What is joined stays small: its transaction is waited for by others too.

const MAX_JOINED_NUMBERS = 100;

/** Asks whether the database has what ends at `last`, without storing anything: it has no numbers of its own. */
export function isQuestion({ first, last }: StoreBatch): boolean {
  return first > last;
}

/** Whether `next` can be stored in one with the batches of its node and lane from `first` to `previous`. */
export function canJoin(first: StoreBatch, previous: StoreBatch, next: StoreBatch): boolean {
  if (next.nodeId !== first.nodeId || next.sessionId !== first.sessionId || !next.epoch.equals(first.epoch))
    return false;
  if (isQuestion(first) || isQuestion(next)) return isQuestion(first) && isQuestion(next) && next.last >= previous.last;
  return next.first === previous.last + 1 && next.last - first.first < MAX_JOINED_NUMBERS;
}

/** The one batch of such batches, in their order. */
export function joinBatches(batches: readonly [StoreBatch, ...StoreBatch[]]): StoreBatch {
  const [head] = batches;
  const last = batches[batches.length - 1] ?? head;
  if (batches.length === 1) return head;
  if (isQuestion(head)) return last;
  return { ...head, last: last.last, rows: batches.flatMap(({ rows }) => rows) };
}
