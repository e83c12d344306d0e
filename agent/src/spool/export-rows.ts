import { decodeResult, MalformedFrameError } from '@vantage/shared/protocol/codec.js';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import { type DroppedRange, droppedAbove, shiftRange } from './dropped-ranges.js';
import { SpoolOpenError } from './errors.js';
import type { LaneHead, SpoolHead } from './head.js';
import { savedWallTime } from './inspect.js';
import type { DatedRow } from './lane-lookup.js';
import type { StoredSpool } from './stored-spool.js';

/** One result as it waits in a spool; field names are part of `vantage-agent spool export`. */
export interface ExportedResult {
  readonly lane: Lane;
  readonly epoch: string;
  readonly sequence: number;
  /** delivered: kept in case the control plane loses it again. */
  readonly state: 'waiting' | 'delivered';
  /** ISO 8601, this machine's clock. */
  readonly appended_at: string;
  readonly finished_at: string;
  /** Server time minus this machine's; uncertainty -1: unknown. */
  readonly clock_offset_ms: number;
  readonly uncertainty_ms: number;
  readonly task_id: string;
  readonly probe_type: string;
  /** Kind of the result; empty: a one-shot probe. */
  readonly kind: string;
  /** Result as the control plane receives it. */
  readonly result: unknown;
}

/** Numbers that hold no result any more. */
export interface ExportedGap extends DroppedRange {
  readonly lane: Lane;
  readonly epoch: string;
}

/** An item of an export, in the order of the lanes and their numbers. */
export type ExportItem =
  | { readonly kind: 'result'; readonly result: ExportedResult }
  | { readonly kind: 'gap'; readonly gap: ExportedGap }
  | { readonly kind: 'unreadable'; readonly lane: Lane; readonly sequence: number };

/** The positions of one lane that are asked for. */
interface Section {
  readonly spool: StoredSpool;
  readonly head: SpoolHead;
  readonly lane: Lane;
}

/**
 * Exports the rows that wait in these lanes, and with `withDelivered` also those kept for replay; one row is in
 * memory at a time, and no transaction is open between two, so that a running agent is not disturbed.
 * @throws SpoolOpenError when the head is damaged: without it the delivered rows are unknown
 */
export function* exportRows(
  spool: StoredSpool,
  wanted: readonly Lane[],
  withDelivered: boolean,
): Generator<ExportItem> {
  const head = spool.head();
  if (head === null) throw new SpoolOpenError(`the head of spool "${spool.path}" is damaged`);
  for (const lane of lanes.filter((name) => wanted.includes(name)))
    yield* exportLane({ spool, head, lane }, withDelivered);
}

function* exportLane(section: Section, withDelivered: boolean): Generator<ExportItem> {
  const { spool, head, lane } = section;
  const { base, acked, stored, dropped } = head.lanes[lane];
  const first = withDelivered ? Math.min(spool.span(lane)?.first ?? acked + 1, acked + 1) : acked + 1;
  const gaps = droppedAbove(dropped, acked);
  for (let position = first; position <= stored; position += 1) {
    const gap = gaps.find((range) => range.first <= position && position <= range.last);
    if (gap === undefined) {
      yield* exportPlace(section, position);
      continue;
    }
    yield { kind: 'gap', gap: { lane, epoch: head.epoch, ...shiftRange(gap, -base) } };
    position = gap.last;
  }
}

function* exportPlace({ spool, head, lane }: Section, position: number): Generator<ExportItem> {
  const sequence = position - head.lanes[lane].base;
  for (const place of spool.walk(lane, position, position)) {
    // delivered and deleted in the meantime
    if (place.kind === 'missing') continue;
    const result = place.kind === 'row' ? decodeRow(head, lane, place.row) : null;
    yield result === null ? { kind: 'unreadable', lane, sequence } : { kind: 'result', result };
  }
}

/** Decodes a row; null when it is no result. */
function decodeRow(head: SpoolHead, lane: Lane, row: DatedRow): ExportedResult | null {
  const { base, acked }: LaneHead = head.lanes[lane];
  try {
    const result = decodeResult(row.payload);
    return {
      lane,
      epoch: head.epoch,
      sequence: row.position - base,
      state: row.position > acked ? 'waiting' : 'delivered',
      appended_at: new Date(savedWallTime(head, row.createdMs)).toISOString(),
      finished_at: new Date(result.finishedAtMs).toISOString(),
      clock_offset_ms: result.clockOffsetMs,
      uncertainty_ms: result.uncertaintyMs,
      task_id: result.taskId,
      probe_type: result.probeType,
      kind: result.kind,
      result: JSON.parse(Buffer.from(result.resultJson).toString('utf8')) as unknown,
    };
  } catch (error) {
    if (error instanceof MalformedFrameError || error instanceof SyntaxError || error instanceof RangeError)
      return null;
    throw error;
  }
}
