const noBytes = Buffer.alloc(0);

/**
 * A body as it arrives, in one piece: kept as the pieces it came in, a body sent byte by byte would take a hundred times
 * its size.
 */
export class BodyBytes {
  readonly #maxBytes: number;
  #room = noBytes;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Number of bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds as many bytes of a piece as fit; false when some did not. */
  add(piece: Buffer): boolean {
    const taken = Math.min(piece.length, this.#maxBytes - this.#length);
    this.#makeRoom(this.#length + taken);
    piece.copy(this.#room, this.#length, 0, taken);
    this.#length += taken;
    return taken === piece.length;
  }

  /** All of them; the same memory as here. */
  whole(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#room.length) return;
    // most bodies arrive in one piece: a buffer of that size, not cleared, since the piece fills it
    const room = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(bytes, 2 * this.#room.length)));
    this.whole().copy(room);
    this.#room = room;
  }
}
