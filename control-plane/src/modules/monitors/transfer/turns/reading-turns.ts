import { ApiError } from '../../../../http/errors.js';

/** Releases the turn, for the caller that has waited longest. */
export type EndTurn = () => void;

interface Waiting {
  readonly takesMs: number;
  readonly begin: () => void;
}

/** Queue of readers, one at a time in order of arrival; refuses readers that would wait too long. */
export class ReadingTurns {
  readonly #waiting: Waiting[] = [];
  /** Longest time that the present reader takes; null if there is none. */
  #presentMs: number | null = null;

  constructor(private readonly longestWaitMs: number) {}

  /**
   * Resolves when it is the caller's turn. `takesMs`: longest duration of the turn. A caller that leaves earlier frees its place.
   * @throws ApiError UNAVAILABLE if too many wait, or if `signal` is aborted
   */
  async take(takesMs: number, signal: AbortSignal | null): Promise<EndTurn> {
    if (signal?.aborted) throw new ApiError('UNAVAILABLE');
    if (this.#presentMs === null) return this.#begin(takesMs);
    const aheadMs = this.#waiting.reduce((sum, one) => sum + one.takesMs, this.#presentMs);
    if (aheadMs + takesMs > this.longestWaitMs)
      throw new ApiError('UNAVAILABLE', { retryAfterSeconds: Math.ceil(this.#presentMs / 1_000) });
    return await this.#wait(takesMs, signal);
  }

  #wait(takesMs: number, signal: AbortSignal | null): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(new ApiError('UNAVAILABLE'));
      };
      const begin = () => {
        signal?.removeEventListener('abort', leave);
        resolve(this.#begin(takesMs));
      };
      const waiting = { takesMs, begin };
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #begin(takesMs: number): EndTurn {
    this.#presentMs = takesMs;
    return () => {
      this.#presentMs = null;
      this.#waiting.shift()?.begin();
    };
  }
}
