import { crc32 } from 'node:zlib';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import {
  addDropped,
  addDroppedRange,
  type DropCounts,
  type DroppedRange,
  droppedAbove,
  droppedCount,
  nothingDropped,
} from './dropped-ranges.js';
import type { SavedTime } from './spool-time.js';

// The head of a spool file: everything about it that is not a row, one JSON document under a CRC-32, rewritten in
// every commit. Rows have POSITIONS, which only ever grow; what the link calls a sequence is `position - base`.
//
//   position  1 ....... base | base+1 ....... acked | acked+1 ....... last
//             older epochs   | acknowledged: the    | waiting: every one is
//             (deleted soon) | replay window        | a row or in `dropped`
//
// A new epoch is therefore one number: base = acked. No row is rewritten.

/** Marks of one lane that the main thread decides; positions. */
export interface LaneMarks {
  /** Sequence 0 of this epoch. */
  readonly base: number;
  /** Greatest position up to which everything is durable on the control plane. */
  readonly acked: number;
}

export interface CommitMarks extends LaneMarks {
  /** Time at which `acked` reached its value, spool time. */
  readonly ackedMs: number;
}

/** Position up to which everything was acknowledged by `spoolMs`. */
export interface AcknowledgedAt {
  readonly spoolMs: number;
  readonly position: number;
}

export interface LaneHead extends LaneMarks {
  /** Highest position ever assigned, as far as the file knows; never lowered, even after every row was deleted. */
  readonly last: number;
  /** Highest position whose commit took place: what arrives again is ignored. */
  readonly stored: number;
  /** Positions above `acked` that are gone, in order. */
  readonly dropped: readonly DroppedRange[];
  /** One entry per half minute of the replay window, in order. */
  readonly acknowledged: readonly AcknowledgedAt[];
}

export interface SpoolHead {
  /** Random, hex: the same for the life of the file, across epochs. */
  readonly file: string;
  /** Commits of this file so far. */
  readonly commits: number;
  /** 16 random bytes, hex. */
  readonly epoch: string;
  readonly time: SavedTime;
  /** Rows dropped since the file was made. */
  readonly dropped: DropCounts;
  readonly lanes: Readonly<Record<Lane, LaneHead>>;
}

/** Number of rows of each lane that were lost with a file. */
export type LostRows = Readonly<Record<Lane, number>>;

const ACKNOWLEDGED_STEP_MS = 30_000;

/** The head of a new spool without rows; `lost` of each lane went with the file before it, and are its first numbers. */
export function newHead(names: Pick<SpoolHead, 'file' | 'epoch'>, time: SavedTime, lost: LostRows): SpoolHead {
  const none: LaneHead = { base: 0, last: 0, acked: 0, stored: 0, dropped: [], acknowledged: [] };
  const empty: SpoolHead = { ...names, commits: 0, time, dropped: nothingDropped, lanes: { task: none, check: none } };
  return lanes.reduce((head, lane) => loseAfterStored(head, lane, lost[lane]), empty);
}

/** The head after the next `count` positions turned out to be lost with what held them. */
export function loseAfterStored(head: SpoolHead, lane: Lane, count: number): SpoolHead {
  if (count <= 0) return head;
  const { stored } = head.lanes[lane];
  const dropped = dropFromLane(head, lane, { first: stored + 1, last: stored + count, reason: 'corrupt' });
  return { ...dropped, lanes: { ...dropped.lanes, [lane]: reachPosition(dropped.lanes[lane], stored + count) } };
}

export function encodeHead(head: SpoolHead): { body: string; crc: number } {
  const body = JSON.stringify(head);
  return { body, crc: crc32(body) };
}

/** The head as it was encoded; null when a single bit of it differs. */
export function decodeHead(body: unknown, crc: unknown): SpoolHead | null {
  if (typeof body !== 'string' || crc32(body) !== crc) return null;
  // the checksum guarantees the form: only encodeHead writes it
  return JSON.parse(body) as SpoolHead;
}

/** The lane after an acknowledgement up to `acked` at `spoolMs`. */
export function acknowledgeLane(lane: LaneHead, acked: number, spoolMs: number): LaneHead {
  if (acked <= lane.acked) return lane;
  const stepMs = Math.ceil(spoolMs / ACKNOWLEDGED_STEP_MS) * ACKNOWLEDGED_STEP_MS;
  const before = lane.acknowledged.filter((entry) => entry.spoolMs < stepMs);
  return {
    ...lane,
    acked,
    last: Math.max(lane.last, acked),
    dropped: droppedAbove(lane.dropped, acked),
    acknowledged: [...before, { spoolMs: stepMs, position: acked }],
  };
}

/** The lane after the control plane turned out to hold less than it acknowledged: `acked` goes back. */
export function rewindLane(lane: LaneHead, acked: number): LaneHead {
  return { ...lane, acked, acknowledged: lane.acknowledged.filter((entry) => entry.position <= acked) };
}

/** The lane after everything up to `position` was committed, or given up. */
export function reachPosition(lane: LaneHead, position: number): LaneHead {
  return { ...lane, stored: Math.max(lane.stored, position), last: Math.max(lane.last, position) };
}

/** Splits off what was acknowledged at least `replayMs` ago: rows up to `deletable` may go. */
export function expireReplay(lane: LaneHead, spoolMs: number, replayMs: number): { lane: LaneHead; deletable: number } {
  const isDue = (entry: AcknowledgedAt) => entry.spoolMs <= spoolMs - replayMs;
  const deletable = lane.acknowledged.findLast(isDue)?.position ?? 0;
  if (deletable === 0) return { lane, deletable };
  return { lane: { ...lane, acknowledged: lane.acknowledged.filter((entry) => !isDue(entry)) }, deletable };
}

/** The head after positions of `lane` were dropped; those already counted are not counted again. */
export function dropFromLane(head: SpoolHead, lane: Lane, range: DroppedRange): SpoolHead {
  const before = head.lanes[lane];
  const dropped = droppedAbove(addDroppedRange(before.dropped, range), before.acked);
  const added = droppedCount(dropped) - droppedCount(before.dropped);
  const after = { ...before, dropped };
  return {
    ...head,
    dropped: addDropped(head.dropped, range.reason, added),
    lanes: { ...head.lanes, [lane]: after },
  };
}

/** The same change to both lanes. */
export function mapLanes<T>(change: (lane: Lane) => T): Record<Lane, T> {
  const [task, check] = lanes;
  return { task: change(task), check: change(check) };
}
