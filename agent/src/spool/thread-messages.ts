import type { Lane } from '@vantage/shared/protocol/lanes.js';
import type { DropCounts, DroppedRange } from './dropped-ranges.js';
import type { CommitMarks, LostRows, SpoolHead } from './head.js';
import type { Amount } from './lane-rows.js';
import type { PackedRows } from './packed-rows.js';
import type { SavedTime } from './spool-time.js';

// Messages between the agent's main thread and the thread of the spool. Payloads travel as ONE transferred buffer per
// message: cloning a view clones the whole pool behind it.

/** Passed to the thread when it starts. */
export interface SpoolThreadOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly replayMs: number;
  readonly wallMs: number;
  /** Rows that waited when the open file was found corrupt: the file is moved aside whatever the check finds. */
  readonly suspect: LostRows | null;
}

/** Epoch and marks as the main thread has them now, and the rows to write. The main thread decides numbers. */
export interface CommitRequest {
  /** Counts the tries of one writer. */
  readonly number: number;
  /** Number of the commit that was still running when this one was asked for: without it this one is refused. */
  readonly after: number | null;
  readonly epoch: string;
  readonly lanes: Readonly<Record<Lane, CommitMarks>>;
  readonly rows: PackedRows;
  /** Positions dropped from memory before they came here. */
  readonly lost: readonly (DroppedRange & { readonly lane: Lane })[];
  readonly time: SavedTime;
}

export interface ReadRequest {
  readonly lane: Lane;
  readonly after: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** Contents of one lane in the file. */
export interface LaneSnapshot {
  /** Highest position the file knows of: what lies above is in the main thread's memory. */
  readonly last: number;
  /** Rows that are not acknowledged. */
  readonly waiting: Amount;
  /** Acknowledged and kept for the replay window. */
  readonly replay: Amount;
  /** Spool time of the oldest row not acknowledged. */
  readonly oldestMs: number | null;
  /** Positions that are gone and not acknowledged. */
  readonly dropped: readonly DroppedRange[];
}

/** The file as the thread decided it. */
export interface SpoolSnapshot {
  readonly lanes: Readonly<Record<Lane, LaneSnapshot>>;
  /** Rows dropped since the file was made. */
  readonly dropped: DropCounts;
}

/** The file was replaced, or had lost its last commits; `lost` waiting rows were lost. */
export interface OpenDamage {
  readonly kind: 'replaced' | 'cut';
  readonly lost: number;
}

export interface OpenReply {
  readonly head: SpoolHead;
  readonly snapshot: SpoolSnapshot;
  /** Path of the newest corrupt file that was put aside and is still there, or null. */
  readonly setAside: string | null;
  /** Damage of the file, if any, for the log. */
  readonly damage: OpenDamage | null;
}

export interface ReadReply {
  readonly rows: readonly { readonly position: number; readonly bytes: number }[];
  readonly payloads: Uint8Array<ArrayBuffer>;
  /** True if more rows may follow in the file: a limit was reached, or a hole. */
  readonly isCut: boolean;
  readonly snapshot: SpoolSnapshot;
}

/** Requests by kind, with the reply of each. */
export interface SpoolCalls {
  readonly commit: { readonly request: CommitRequest; readonly reply: SpoolSnapshot };
  readonly read: { readonly request: ReadRequest; readonly reply: ReadReply };
  readonly close: { readonly request: null; readonly reply: null };
}
export type SpoolCall = keyof SpoolCalls;

export type ThreadRequest = {
  readonly [C in SpoolCall]: { readonly id: number; readonly call: C; readonly request: SpoolCalls[C]['request'] };
}[SpoolCall];

/** `code` is SQLite's result code name (SQLITE_FULL, SQLITE_IOERR_WRITE, …) where SQLite refused. */
export interface ThreadFailure {
  readonly code: string;
  readonly message: string;
}

export type ThreadReply =
  | { readonly id: number; readonly ok: true; readonly reply: SpoolCalls[SpoolCall]['reply'] }
  | { readonly id: number; readonly ok: false; readonly failure: ThreadFailure };

/** First message of a thread. */
export type ThreadOpening = { readonly opened: OpenReply } | { readonly failed: ThreadFailure };

/** Payloads of a reply one after the other in a buffer of their own, fit to be transferred. */
export function packPayloads(payloads: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(payloads.reduce((sum, payload) => sum + payload.length, 0));
  let offset = 0;
  for (const payload of payloads) {
    packed.set(payload, offset);
    offset += payload.length;
  }
  return packed;
}

/** Splits a packed buffer without copying: one payload for each of `rows`, in order. */
export function unpackPayloads<R extends { readonly bytes: number }>(
  rows: readonly R[],
  packed: Uint8Array,
): (R & { readonly payload: Uint8Array })[] {
  let offset = 0;
  return rows.map((row) => {
    offset += row.bytes;
    return { ...row, payload: packed.subarray(offset - row.bytes, offset) };
  });
}
