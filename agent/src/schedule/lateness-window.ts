/** Seconds looked back on. */
const SECONDS = 60;

/** The worst of what was noted in the last minute, second by second, in the memory of sixty numbers. */
export class LatenessWindow {
  readonly #worst = new Array<number>(SECONDS).fill(0);
  #newest = 0;

  /** `nowMs`: monotonic. */
  note(lateMs: number, nowMs: number): void {
    this.#turnTo(Math.floor(nowMs / 1000));
    const at = this.#newest % SECONDS;
    this.#worst[at] = Math.max(this.#worst[at] ?? 0, lateMs);
  }

  /** Milliseconds; 0 when nothing was noted. */
  worst(nowMs: number): number {
    this.#turnTo(Math.floor(nowMs / 1000));
    return Math.max(...this.#worst);
  }

  #turnTo(second: number): void {
    const from = Math.max(this.#newest + 1, second - SECONDS + 1);
    for (let at = from; at <= second; at += 1) this.#worst[at % SECONDS] = 0;
    this.#newest = Math.max(this.#newest, second);
  }
}
