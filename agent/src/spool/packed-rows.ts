import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';

// Rows of a commit for the thread of the spool: columns in ONE buffer, which is transferred. Cloning a hundred objects
// took longer than SQLite takes to store them.
//
//   positions 8 bytes each | times 8 each | payload sizes 4 each | lanes 1 each | the payloads, one after the other

export interface CommitRow {
  readonly lane: Lane;
  readonly position: number;
  /** Spool time. */
  readonly createdMs: number;
  readonly payload: Uint8Array;
}

/** Any number of rows; all views are of one buffer, fit to be transferred. */
export interface PackedRows {
  readonly positions: Float64Array<ArrayBuffer>;
  readonly createdMs: Float64Array<ArrayBuffer>;
  /** Bytes of each payload. */
  readonly sizes: Uint32Array<ArrayBuffer>;
  /** Places in the list of lanes. */
  readonly lanes: Uint8Array<ArrayBuffer>;
  readonly payloads: Uint8Array<ArrayBuffer>;
}

/** Copies rows into a buffer of their own, in order. */
export function packRows(rows: readonly CommitRow[]): PackedRows {
  const count = rows.length;
  const bytes = rows.reduce((sum, { payload }) => sum + payload.length, 0);
  const buffer = new ArrayBuffer(count * 21 + bytes);
  const packed: PackedRows = {
    positions: new Float64Array(buffer, 0, count),
    createdMs: new Float64Array(buffer, count * 8, count),
    sizes: new Uint32Array(buffer, count * 16, count),
    lanes: new Uint8Array(buffer, count * 20, count),
    payloads: new Uint8Array(buffer, count * 21, bytes),
  };
  let offset = 0;
  rows.forEach(({ lane, position, createdMs, payload }, index) => {
    packed.positions[index] = position;
    packed.createdMs[index] = createdMs;
    packed.sizes[index] = payload.length;
    packed.lanes[index] = lanes.indexOf(lane);
    packed.payloads.set(payload, offset);
    offset += payload.length;
  });
  return packed;
}

/** The rows again, in order; payloads are views, nothing is copied. */
export function* unpackRows({
  positions,
  createdMs,
  sizes,
  lanes: places,
  payloads,
}: PackedRows): Generator<CommitRow> {
  let offset = 0;
  for (let index = 0; index < positions.length; index += 1) {
    const lane = lanes[places[index] ?? 0];
    const position = positions[index];
    const bytes = sizes[index];
    if (lane === undefined || position === undefined || bytes === undefined) throw new RangeError('not a row');
    yield { lane, position, createdMs: createdMs[index] ?? 0, payload: payloads.subarray(offset, offset + bytes) };
    offset += bytes;
  }
}
