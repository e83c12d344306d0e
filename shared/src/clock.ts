/** Work that is looked for again and again. */
export interface Round {
  readonly name: string;
  /** Resolves when none of it runs. */
  idle(): Promise<void>;
}

/** Time and timers, so that tests can hold them. The only place besides this that reads a clock is a fake one. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds with sub-microsecond fraction; only differences mean something. */
  monotonicMs(): number;
  /**
   * Calls back once after `ms`; returns how to call it off. The timer never keeps the process alive when `unref`. `round`: whose next
   * turn it begins, absent: no round's.
   */
  after(ms: number, callback: () => void, options?: { unref?: boolean; round?: Round }): () => void;
  /** Calls back once, when what has arrived at this process so far has been read. */
  afterInput(callback: () => void): void;
}

/** The machine's clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, callback, options) {
    const timer = setTimeout(callback, ms);
    if (options?.unref) timer.unref();
    return () => clearTimeout(timer);
  },
  // sockets are read between timers and immediates
  afterInput(callback) {
    setImmediate(callback);
  },
};

/** Resolves after `ms` on `clock`; rejects with the signal's reason when aborted before. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves when what has arrived at this process so far has been read. */
export function afterInput(clock: Pick<Clock, 'afterInput'>): Promise<void> {
  return new Promise((resolve) => clock.afterInput(resolve));
}

/**
 * Calls back once, when the messages that have arrived at this process so far have been taken: sockets are read before the first of two
 * turns, and what a WebSocket, TLS or a proxy's tunnel hands on a turn later is there before the second.
 */
export function afterMessages(clock: Pick<Clock, 'afterInput'>, callback: () => void): void {
  clock.afterInput(() => clock.afterInput(callback));
}
