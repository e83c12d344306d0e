import type { Clock } from '@vantage/shared/clock.js';
import { type ApiError, limitReached } from './errors.js';

/** Limits of the work under one key. */
export interface TurnsOptions {
  /** Pieces of work that each key may run at once, at least 1. */
  readonly atOnce: number;
  /** Counts all running work; several `Turns` may share one count. */
  readonly running?: Running;
  /** A key may run more than `atOnce` while fewer than this run in all; default: never. */
  readonly moreBelow?: number;
  /** Pieces of work of one key that may wait; one more is refused at once. */
  readonly maxWaiting: number;
  /** Longest wait of a piece of work before it is refused, in milliseconds. */
  readonly patienceMs: number;
  readonly clock: Pick<Clock, 'now' | 'after' | 'afterInput'>;
  /** Creates the error of a refusal; default: 429 RATE_LIMIT_EXCEEDED. */
  readonly refusal?: () => ApiError;
}

/** Number of pieces of work that run. */
export interface Running {
  count: number;
}

interface Queue {
  running: number;
  /** Waiting work, called in order when its turn comes. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs a limited number of pieces of work of one key at once and the others in order. In the database they would wait
 * for the rows of one another, each holding a connection, until no connection is left for other callers.
 *
 * A key that runs more than `atOnce` while little else runs returns to it as its work ends and that of others begins.
 */
export class Turns {
  readonly #queues = new Map<string, Queue>();
  readonly #running: Running;
  readonly #moreBelow: number;

  constructor(private readonly options: TurnsOptions) {
    this.#running = options.running ?? { count: 0 };
    this.#moreBelow = options.moreBelow ?? 0;
  }

  /** Keys with running or waiting work. */
  get size(): number {
    return this.#queues.size;
  }

  /** Runs `work` when its turn comes. @throws ApiError if too many wait, or it waited too long */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queueOf(key);
    if (queue.waiting.size === 0 && this.#mayBegin(queue)) this.#count(queue, 1);
    else await this.#wait(queue);
    try {
      return await work();
    } finally {
      this.#count(queue, -1);
      this.#beginWaiting(queue);
      if (queue.running === 0) this.#queues.delete(key);
    }
  }

  #mayBegin({ running }: Queue): boolean {
    return running < this.options.atOnce || this.#running.count < this.#moreBelow;
  }

  #count(queue: Queue, change: 1 | -1): void {
    queue.running += change;
    this.#running.count += change;
  }

  #queueOf(key: string): Queue {
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const queue: Queue = { running: 0, waiting: new Set() };
    this.#queues.set(key, queue);
    return queue;
  }

  #wait(queue: Queue): Promise<void> {
    const { waiting } = queue;
    const { maxWaiting, patienceMs, clock } = this.options;
    if (waiting.size >= maxWaiting) throw this.#refusal();
    return new Promise((resolve, reject) => {
      const begin = () => {
        cancel();
        waiting.delete(begin);
        this.#count(queue, 1);
        resolve();
      };
      const refuse = () => {
        if (waiting.delete(begin)) reject(this.#refusal());
      };
      // this process may have stood still: replies that have arrived meanwhile end work before it
      const cancel = clock.after(patienceMs, () => clock.afterInput(refuse));
      waiting.add(begin);
      // work of other keys may have ended meanwhile
      this.#beginWaiting(queue);
    });
  }

  /** Begins the work that has waited longest, as much as may run. */
  #beginWaiting(queue: Queue): void {
    for (const begin of queue.waiting) {
      if (!this.#mayBegin(queue)) return;
      begin();
    }
  }

  #refusal(): ApiError {
    const { atOnce: limit, clock, refusal } = this.options;
    if (refusal !== undefined) return refusal();
    const resetsAt = (Math.floor(clock.now() / 1_000) + 1) * 1_000;
    const message = `too many are waiting: send at most ${limit} at once`;
    const allowance = { limit, remaining: 0, resetsAt, isAllowed: false };
    return limitReached('RATE_LIMIT_EXCEEDED', allowance, { requests: [{ code: 'refused', message }] });
  }
}
