import type { Lane } from '@vantage/shared/protocol/lanes.js';

/** The spool's file can neither be opened nor made: no such folder, no right, a disk that is full or read-only. */
export class SpoolOpenError extends Error {
  override readonly name = 'SpoolOpenError';
}

/** True if a code of SQLite says that the file itself is damaged: it has to be put aside. */
export function isDamage(code: string): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}

/** The spool was closed before, or before this row could be committed. */
export class SpoolClosedError extends Error {
  override readonly name = 'SpoolClosedError';

  constructor() {
    super('the spool is closed');
  }
}

/** The row was dropped from memory because the disk took nothing for too long; its number is in a dropped range. */
export class SpoolRowDroppedError extends Error {
  override readonly name = 'SpoolRowDroppedError';

  constructor(readonly lane: Lane) {
    super(`a row of lane "${lane}" was dropped before it could be written`);
  }
}

/** An acknowledgement of a number that was never assigned. */
export class MarkAheadError extends Error {
  override readonly name = 'MarkAheadError';

  constructor(
    readonly lane: Lane,
    readonly mark: number,
    readonly last: number,
  ) {
    super(`mark ${mark} of lane "${lane}" is above the last number ${last}`);
  }
}
