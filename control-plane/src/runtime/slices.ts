// Long work on the single thread of the process, split into slices between which the event loop turns. All work queues:
// however many callers, one slice runs per turn.
//
//   turn     │ input │ slice of A │ input │ slice of B │ input │ slice of A │ …

/** Cost of a slice at most. A step is what takes about a microsecond; what is heavier counts for more. */
export const STEPS_PER_SLICE = 2_000;
/** Work that is no longer needs no turn of its own. */
const FREE_STEPS = 200;

const waiting: (() => void)[] = [];

/** One piece of long work; see above. */
export class Slices {
  #left = FREE_STEPS;

  /** @param signal aborted when the result is not needed any more */
  constructor(private readonly signal: AbortSignal | null = null) {}

  /**
   * Counts the next steps. Null, in most cases: continue at once; else resolves in a later turn, and rejects with the
   * signal's reason once that is aborted.
   */
  spend(steps: number): Promise<void> | null {
    this.#left -= steps;
    if (this.#left >= 0) return null;
    this.#left = Math.max(0, STEPS_PER_SLICE - steps);
    return this.#nextTurn();
  }

  async #nextTurn(): Promise<void> {
    await laterTurn();
    this.signal?.throwIfAborted();
  }
}

/** Resolves in a later turn of the event loop without other long work. */
export function laterTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeOne);
  });
}

/** Lets the longest waiting caller continue. */
function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
}
