import type { Lane } from '@vantage/shared/protocol/lanes.js';
import { type OpenThread, type StartedThread, Thread, ThreadError } from '@vantage/shared/thread.js';
import type { DropCounts, DroppedRange } from './dropped-ranges.js';
import { isDamage, SpoolOpenError } from './errors.js';
import type { CommitMarks, LostRows, SpoolHead } from './head.js';
import type { Amount } from './lane-rows.js';
import type { PackedRows } from './packed-rows.js';
import type { SavedTime } from './spool-time.js';

// The thread of the spool (spool-worker.ts), and its messages: the payloads of each are one transferred buffer.

/** The thread's heap, MiB: it holds two commits or one batch at a time, SQLite's cache lies outside. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 };

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

/** Requests to the thread, with the reply of each. */
export interface SpoolMessages {
  readonly open: { readonly request: SpoolThreadOptions; readonly reply: OpenReply };
  readonly commit: { readonly request: CommitRequest; readonly reply: SpoolSnapshot };
  readonly read: { readonly request: ReadRequest; readonly reply: ReadReply };
}

/** Owner of the spool's file. */
export type FileThread = OpenThread<SpoolMessages>;

/** Starts one; resolves when it has opened the file. @throws SpoolOpenError */
export type StartFileThread = (options: SpoolThreadOptions) => Promise<StartedThread<SpoolMessages>>;

/** Starts the thread that owns the file. @throws SpoolOpenError */
export async function startSpoolThread(options: SpoolThreadOptions): Promise<StartedThread<SpoolMessages>> {
  try {
    return await Thread.start<SpoolMessages>(new URL('./spool-worker.js', import.meta.url), options, HEAP_LIMITS);
  } catch (error) {
    throw error instanceof ThreadError ? new SpoolOpenError(error.message) : error;
  }
}

/** True if the thread does not reply any more, or not from this file. */
export function needsNewThread(error: unknown): error is ThreadError {
  return error instanceof ThreadError && (error.hasEnded || isDamage(error.code));
}

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
