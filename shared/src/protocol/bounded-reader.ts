// oxlint-disable-next-line import/no-unassigned-import -- has to run before protobuf is used
import './plain-numbers.js';
import protobuf from 'protobufjs/minimal.js';
import { MAX_FRAME_FIELDS } from './limits.js';

/**
 * Reads one message and gives up when it has more fields than any honest frame. What a frame costs goes by its fields, not
 * by its bytes: a megabyte of empty ones took 1.3 s to decode, during which no other peer was served (2026-11).
 */
export class BoundedReader extends protobuf.BufferReader {
  #left: number;

  /** The bytes are read where they are, and not copied. */
  constructor(
    bytes: Uint8Array,
    private readonly limit = MAX_FRAME_FIELDS,
  ) {
    super(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#left = limit;
  }

  /** @throws RangeError after more fields than a frame may have, those of unknown groups included */
  override tag(): number {
    this.#left -= 1;
    if (this.#left < 0) throw new RangeError(`more than ${this.limit} fields`);
    return super.tag();
  }

  /** A packed list: a value takes one byte at least. */
  override uint32s(values: number[]): number[] {
    const start = this.pos;
    this.#left -= this.size();
    if (this.#left < 0) throw new RangeError(`more than ${this.limit} values`);
    this.pos = start;
    return super.uint32s(values);
  }
}
