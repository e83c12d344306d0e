/** Rows of whole numbers, one after another. */
export type Rows = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

const FIRST_ROOM = 1024;

/** Numbers in an array that doubles when it is full. */
export class GrowingRows<R extends Rows> {
  #room: R;
  #length = 0;

  /** `allocate` makes an array of a length. */
  constructor(private readonly allocate: (length: number) => R) {
    this.#room = allocate(FIRST_ROOM);
  }

  push(number: number): void {
    if (this.#length === this.#room.length) {
      const larger = this.allocate(this.#length * 2);
      larger.set(this.#room);
      this.#room = larger;
    }
    this.#room[this.#length] = number;
    this.#length += 1;
  }

  /** The numbers so far, in memory that these rows still use. */
  get numbers(): R {
    return this.#room.subarray(0, this.#length) as R;
  }
}
