import type { Rows } from './sorted-rows.js';

const FIRST_ROOM = 1024;
/** Numbers of a block; copying one takes less than a slice. */
const BLOCK = 131_072;

/** Numbers in blocks: an array that grew to millions would be copied at once. */
export class GrowingRows<R extends Rows> {
  #full: R[] = [];
  #last: R;
  #length = 0;

  /** `allocate` makes an array of a length. */
  constructor(private readonly allocate: (length: number) => R) {
    this.#last = allocate(FIRST_ROOM);
  }

  push(number: number): void {
    if (this.#length === this.#last.length) this.#makeRoom();
    this.#last[this.#length] = number;
    this.#length += 1;
  }

  /** The numbers in one array, in slices; these rows are empty again. */
  *take(): Generator<void, R> {
    const taken = this.allocate(this.#full.length * BLOCK + this.#length);
    for (const [n, block] of this.#full.entries()) {
      taken.set(block, n * BLOCK);
      yield;
    }
    taken.set(this.#last.subarray(0, this.#length), this.#full.length * BLOCK);
    this.#full = [];
    this.#last = this.allocate(FIRST_ROOM);
    this.#length = 0;
    return taken;
  }

  /** Doubles the last block until it is a full one, then begins the next. */
  #makeRoom(): void {
    if (this.#length === BLOCK) {
      this.#full.push(this.#last);
      this.#last = this.allocate(BLOCK);
      this.#length = 0;
      return;
    }
    const larger = this.allocate(this.#length * 2);
    larger.set(this.#last);
    this.#last = larger;
  }
}
