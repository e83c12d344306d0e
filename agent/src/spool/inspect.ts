import { dirname } from 'node:path';
import type { Lane } from '@vantage/shared/protocol/lanes.js';
import { findSetAside } from './database.js';
import { type DropCounts, type DroppedRange, droppedAbove, shiftRange } from './dropped-ranges.js';
import { SpoolOpenError } from './errors.js';
import { mapLanes, type SpoolHead } from './head.js';
import { StoredSpool } from './stored-spool.js';

/** One lane as the file has it; sequences of the present epoch. */
export interface InspectedLane {
  readonly last: number;
  readonly acked: number;
  /** Rows not acknowledged. */
  readonly rows: number;
  readonly bytes: number;
  /** Bytes of all rows, those kept for replay included. */
  readonly heldBytes: number;
  /** Wall clock, milliseconds since the epoch; null without a row. */
  readonly oldestAt: number | null;
  readonly dropped: readonly DroppedRange[];
}

export interface SpoolInspection {
  /** Hex. */
  readonly epoch: string;
  /** Rows dropped since the file was made. */
  readonly dropped: DropCounts;
  /** The newest corrupt file next to it, or null. */
  readonly setAside: string | null;
  readonly lanes: Readonly<Record<Lane, InspectedLane>>;
}

/**
 * Reads a spool file without changing it, while an agent has it open or while none does.
 * @throws SpoolOpenError when there is no readable spool in `folder`
 */
export function inspectSpool(folder: string): SpoolInspection {
  const spool = StoredSpool.inFolder(folder);
  try {
    return spool.snapshot(() => inspect(spool));
  } catch (cause) {
    if (cause instanceof SpoolOpenError) throw cause;
    throw new SpoolOpenError(`spool "${spool.path}" is corrupt`, { cause });
  } finally {
    spool.close();
  }
}

function inspect(spool: StoredSpool): SpoolInspection {
  const head = spool.head();
  if (head === null) throw new SpoolOpenError(`spool "${spool.path}" is corrupt`);
  return {
    epoch: head.epoch,
    dropped: head.dropped,
    setAside: findSetAside(dirname(spool.path)),
    lanes: mapLanes((lane) => inspectLane(spool, head, lane)),
  };
}

function inspectLane(spool: StoredSpool, head: SpoolHead, lane: Lane): InspectedLane {
  const { base, last, acked, dropped } = head.lanes[lane];
  const rows = spool.count(lane, acked);
  const oldest = rows.findOldestWaiting();
  return {
    last: last - base,
    acked: acked - base,
    ...rows.waiting,
    heldBytes: rows.waiting.bytes + rows.replay.bytes,
    oldestAt: oldest === null ? null : savedWallTime(head, oldest.createdMs),
    dropped: droppedAbove(dropped, acked).map((range) => shiftRange(range, -base)),
  };
}

/** The instant of `spoolMs` by the wall clock as it stood at the last commit. */
export function savedWallTime({ time }: SpoolHead, spoolMs: number): number {
  return time.wallMs - (time.spoolMs - spoolMs);
}
