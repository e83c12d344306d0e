import { decodeResult, MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import { type DroppedRange, droppedAbove, dropReasons, shiftRange } from './dropped-ranges.js';
import { type LaneHead, mapLanes } from './head.js';
import type { StoredPlace, StoredSpool } from './stored-spool.js';

const MOST_POSITIONS = 10_000_000;

/** Numbers first..last, both inclusive, and what is wrong with them. */
export interface FaultyRange {
  readonly first: number;
  readonly last: number;
  readonly fault: RowFault;
}

/**
 * corrupt: the checksum is another, or the row cannot be read; undecodable: no result, though as it was written;
 * missing: neither there nor dropped; dropped_but_there: a row that was said to be gone
 */
export type RowFault = 'corrupt' | 'undecodable' | 'missing' | 'dropped_but_there';

/** Findings in one lane; sequences of the current epoch (0 and below: of an older one, kept for replay). */
export interface VerifiedLane {
  /** Intact rows, those kept for replay included. */
  readonly rows: number;
  readonly bytes: number;
  readonly acked: number;
  readonly last: number;
  readonly dropped: readonly DroppedRange[];
  readonly faults: readonly FaultyRange[];
}

export interface Verification {
  readonly isIntact: boolean;
  /** Faults that SQLite finds in the structure of the file; empty: none. */
  readonly structure: readonly string[];
  /** Hex; null if the head is damaged, and with it the numbers are unknown: positions are counted from 1. */
  readonly epoch: string | null;
  /** Errors in the head's numbers; empty: none. */
  readonly head: readonly string[];
  readonly lanes: Readonly<Record<Lane, VerifiedLane>>;
}

/**
 * Checks a whole file: its structure, its head, every checksum, and that each number above the acknowledged one is
 * either a row or dropped. One row is in memory at a time.
 */
export function verifySpool(spool: StoredSpool): Verification {
  return spool.snapshot(() => {
    const structure = spool.structuralFaults();
    const head = spool.head();
    const checked = mapLanes((lane) => verifyLane(spool, lane, head?.lanes[lane] ?? null));
    const complaints =
      head === null ? ['the head is damaged'] : lanes.flatMap((lane) => judgeHead(lane, head.lanes[lane]));
    const isIntact =
      structure.length + complaints.length === 0 && lanes.every((lane) => checked[lane].faults.length === 0);
    return { isIntact, structure, epoch: head?.epoch ?? null, head: complaints, lanes: checked };
  });
}

/** Pure: what cannot be about the numbers of a lane. */
export function judgeHead(lane: Lane, { base, acked, stored, last, dropped }: LaneHead): string[] {
  const complaints: string[] = [];
  const claim = (isTrue: boolean, text: string) => {
    if (!isTrue) complaints.push(`lane "${lane}": ${text}`);
  };
  claim(
    base <= acked && acked <= last && stored <= last,
    `numbers out of order: ${base}, ${acked}, ${stored}, ${last}`,
  );
  let previous = acked;
  for (const range of dropped) {
    claim(
      previous < range.first && range.first <= range.last,
      `dropped range ${range.first}..${range.last} out of order`,
    );
    claim(dropReasons.includes(range.reason), `dropped range of unknown reason "${range.reason}"`);
    previous = range.last;
  }
  claim(previous <= Math.max(last, acked), 'a dropped range beyond the last number');
  return complaints;
}

function verifyLane(spool: StoredSpool, lane: Lane, head: LaneHead | null): VerifiedLane {
  const span = spool.span(lane);
  const { base = 0, acked = 0, last = span?.last ?? 0 } = head ?? {};
  const dropped = droppedAbove(head?.dropped ?? [], acked);
  const found = { rows: 0, bytes: 0, faults: [] as FaultyRange[] };
  const first = Math.max(1, Math.min(span?.first ?? acked + 1, acked + 1));
  // a damaged file may contain any number
  const end = Math.min(Math.max(last, span?.last ?? 0), first + MOST_POSITIONS);
  for (const place of spool.walk(lane, first, end)) {
    const { position } = place;
    const isWaiting = head !== null && position > acked;
    const isDropped = dropped.some((range) => range.first <= position && position <= range.last);
    const fault = judgePlace(place, isWaiting, isDropped);
    if (fault !== null) addFault(found.faults, position - base, fault);
    if (place.kind !== 'row') continue;
    found.rows += 1;
    found.bytes += place.row.payload.length;
  }
  return {
    ...found,
    acked: acked - base,
    last: last - base,
    dropped: dropped.map((range) => shiftRange(range, -base)),
  };
}

/** A corrupt row is dropped, but stays in the file until it expires: that is valid. */
function judgePlace(place: StoredPlace, isWaiting: boolean, isDropped: boolean): RowFault | null {
  if (place.kind === 'corrupt') return isDropped ? null : 'corrupt';
  if (place.kind === 'missing') return isWaiting && !isDropped ? 'missing' : null;
  if (isDropped) return 'dropped_but_there';
  return isDecodable(place.row.payload) ? null : 'undecodable';
}

function isDecodable(payload: Uint8Array): boolean {
  try {
    decodeResult(payload);
    return true;
  } catch (error) {
    if (error instanceof MalformedFrameError) return false;
    throw error;
  }
}

/** Neighbours with the same fault are one range. */
function addFault(faults: FaultyRange[], number: number, fault: RowFault): void {
  const previous = faults.at(-1);
  if (previous?.fault === fault && previous.last === number - 1)
    faults[faults.length - 1] = { ...previous, last: number };
  else faults.push({ first: number, last: number, fault });
}
