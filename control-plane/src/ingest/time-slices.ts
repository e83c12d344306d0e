import type { Clock } from '@vantage/shared/clock.js';

// Long work is done a few milliseconds at a time, in turns of its owners. Between two slices the loop reads its input,
// so that neither replies of the database nor frames of other links wait for all of it.
//
//   no work waits ─> first slice at once ──done──> no turn of the loop was lost
//                                        └─more─> queue of its owner ──a slice each time the loop has read its input──> …

const SLICE_MS = 4;

interface Work {
  /** Runs one slice. @returns true if the work is done, false if its time is over */
  readonly goOn: () => boolean;
  readonly onSpent: (ms: number) => void;
}

/** Divides the time of one thread among the owners of work. */
export class TimeSlices {
  readonly #clock: Clock;
  /** Work by owner, in the order of turns. */
  readonly #queues = new Map<string, Work[]>();
  #onIdle: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs `steps` to their end and resolves with their return value; the work of one owner runs in the order it came in.
   * `onSpent` gets the duration of each slice that was not run at once.
   */
  run<T>(owner: string, steps: Iterator<void, T>, onSpent: (ms: number) => void = () => {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const work = { goOn: () => this.#slice(steps, resolve, reject), onSpent };
      const queue = this.#queues.get(owner);
      if (queue !== undefined) queue.push(work);
      else if (this.#queues.size > 0 || !work.goOn()) this.#wait(owner, work);
    });
  }

  /** Resolves when there is no more work. */
  async idle(): Promise<void> {
    if (this.#queues.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #wait(owner: string, work: Work): void {
    this.#queues.set(owner, [work]);
    if (this.#queues.size === 1) this.#clock.afterInput(() => this.#turn());
  }

  /** Runs one slice of the work that has waited longest. */
  #turn(): void {
    const [next] = this.#queues;
    if (next === undefined) return;
    const [owner, queue] = next;
    const startedMs = this.#clock.monotonicMs();
    const [work] = queue;
    if (work?.goOn()) queue.shift();
    work?.onSpent(this.#clock.monotonicMs() - startedMs);
    this.#queues.delete(owner);
    if (queue.length > 0) this.#queues.set(owner, queue);
    if (this.#queues.size > 0) return this.#clock.afterInput(() => this.#turn());
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #slice<T>(steps: Iterator<void, T>, resolve: (value: T) => void, reject: (error: unknown) => void): boolean {
    const endMs = this.#clock.monotonicMs() + SLICE_MS;
    try {
      do {
        const { done, value } = steps.next();
        if (done === true) {
          resolve(value);
          return true;
        }
      } while (this.#clock.monotonicMs() < endMs);
      return false;
    } catch (error) {
      reject(error);
      return true;
    }
  }
}
