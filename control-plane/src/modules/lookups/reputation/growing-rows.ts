import type { Rows } from './sorted-rows.js';

const FIRST_ROOM = 1024;

/** Numbers in one array that doubles when it is full. */
export class GrowingRows<R extends Rows> {
  #numbers: R;
  #length = 0;

  /** `allocate` makes an array of a length. */
  constructor(private readonly allocate: (length: number) => R) {
    this.#numbers = allocate(FIRST_ROOM);
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = this.allocate(this.#length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }

  /** The numbers; they belong to the caller, and these rows are empty again. */
  take(): R {
    const taken = this.#numbers.subarray(0, this.#length) as R;
    this.#numbers = this.allocate(FIRST_ROOM);
    this.#length = 0;
    return taken;
  }
}
