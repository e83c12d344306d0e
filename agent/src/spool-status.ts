import type { Lane } from '@vantage/shared/protocol/lanes.js';
import { type DropCounts, totalDropped } from './spool/dropped-ranges.js';
import { mapLanes } from './spool/head.js';
import type { InspectedLane, SpoolInspection } from './spool/inspect.js';
import { type LaneStats, SPOOL_BOUNDS, type Spool } from './spool/spool.js';

/** Contents of a spool as `vantage-agent status` shows them. Field names are part of that command. */
export interface SpoolStatus {
  /** Hex. */
  readonly epoch: string;
  /** Results not acknowledged, and their bytes. */
  readonly rows: number;
  readonly bytes: number;
  /** ISO 8601; null if nothing waits. */
  readonly oldest_at: string | null;
  readonly lanes: Readonly<Record<Lane, { rows: number; bytes: number; oldest_at: string | null }>>;
  /** Bytes kept in all: delivered results stay for fifteen minutes. */
  readonly held_bytes: number;
  readonly max_bytes: number;
  readonly max_age_ms: number;
  /** Results given up since the file was made, in all and by reason. */
  readonly dropped: number;
  readonly dropped_for: DropCounts;
  /** Reason why the disk takes nothing at present, or null. */
  readonly problem: string | null;
  /** The newest file that was found damaged and put aside, or null. */
  readonly set_aside: string | null;
}

/** The spool of a running agent. */
export function describeSpool(spool: Spool): SpoolStatus {
  const { oldestAt, lanes, heldBytes, maxBytes, maxAgeMs, droppedFor, setAside, ...stats } = spool.stats();
  return {
    epoch: Buffer.from(spool.epoch).toString('hex'),
    rows: stats.rows,
    bytes: stats.bytes,
    oldest_at: isoTime(oldestAt),
    lanes: mapLanes((lane) => describeLane(lanes[lane])),
    held_bytes: heldBytes,
    max_bytes: maxBytes,
    max_age_ms: maxAgeMs,
    dropped: stats.dropped,
    dropped_for: droppedFor,
    problem: stats.problem,
    set_aside: setAside,
  };
}

/** The spool of an agent that does not run, as its file has it. */
export function describeStoredSpool({ epoch, dropped, setAside, lanes }: SpoolInspection): SpoolStatus {
  const { task, check } = lanes;
  const oldest = [task, check].flatMap(({ oldestAt }) => oldestAt ?? []);
  return {
    epoch,
    rows: task.rows + check.rows,
    bytes: task.bytes + check.bytes,
    oldest_at: isoTime(oldest.length === 0 ? null : Math.min(...oldest)),
    lanes: mapLanes((lane) => describeLane(lanes[lane])),
    held_bytes: task.heldBytes + check.heldBytes,
    max_bytes: SPOOL_BOUNDS.maxBytes,
    max_age_ms: SPOOL_BOUNDS.maxAgeMs,
    dropped: totalDropped(dropped),
    dropped_for: dropped,
    problem: null,
    set_aside: setAside,
  };
}

function describeLane({ rows, bytes, oldestAt }: LaneStats | InspectedLane) {
  return { rows, bytes, oldest_at: isoTime(oldestAt) };
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
