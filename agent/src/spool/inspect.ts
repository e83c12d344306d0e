import { join } from 'node:path';
import type { Lane } from '@vantage/shared/protocol/lanes.js';
import Database from 'better-sqlite3';
import { readHead, SPOOL_FILE_NAME } from './database.js';
import { type DroppedRange, droppedAbove, shiftRange } from './dropped-ranges.js';
import { SpoolOpenError } from './errors.js';
import { mapLanes, type SpoolHead } from './head.js';
import { LaneRows } from './lane-rows.js';

/** One lane as the file has it; sequences of the present epoch. */
export interface InspectedLane {
  readonly last: number;
  readonly acked: number;
  /** Rows not acknowledged. */
  readonly rows: number;
  readonly bytes: number;
  /** Wall clock, milliseconds since the epoch; null without a row. */
  readonly oldestAt: number | null;
  readonly dropped: readonly DroppedRange[];
}

export interface SpoolInspection {
  /** Hex. */
  readonly epoch: string;
  readonly droppedTotal: number;
  readonly lanes: Readonly<Record<Lane, InspectedLane>>;
}

/**
 * Reads a spool file without writing to it, while an agent has it open or while none does.
 * @throws SpoolOpenError when there is no readable spool in `folder`
 */
export function inspectSpool(folder: string): SpoolInspection {
  const path = join(folder, SPOOL_FILE_NAME);
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true });
    try {
      return database.transaction(() => inspect(database, path)).deferred();
    } finally {
      database.close();
    }
  } catch (cause) {
    if (cause instanceof SpoolOpenError) throw cause;
    throw new SpoolOpenError(`cannot read spool "${path}"`, { cause });
  }
}

function inspect(database: Database.Database, path: string): SpoolInspection {
  const head = readHead(database);
  if (head === null) throw new SpoolOpenError(`spool "${path}" is corrupt`);
  return {
    epoch: head.epoch,
    droppedTotal: head.droppedTotal,
    lanes: mapLanes((lane) => inspectLane(database, head, lane)),
  };
}

function inspectLane(database: Database.Database, head: SpoolHead, lane: Lane): InspectedLane {
  const { base, last, acked, dropped } = head.lanes[lane];
  const rows = new LaneRows(database, lane, acked);
  const oldest = rows.findOldestWaiting();
  return {
    last: last - base,
    acked: acked - base,
    ...rows.waiting,
    oldestAt: oldest === null ? null : head.time.wallMs - (head.time.spoolMs - oldest.createdMs),
    dropped: droppedAbove(dropped, acked).map((range) => shiftRange(range, -base)),
  };
}
