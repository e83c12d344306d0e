import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from './failure.js';
import { isSignInNeeded } from './session.js';
import { onChanged, type Topic } from './stream.js';

/** Data that a view shows, as it was read last. */
export interface Query<T> {
  /** Null until the first answer. */
  readonly data: T | null;
  /** Why the last reading failed; null if it did not. */
  readonly failure: Failure | null;
  /** When the data was read, in milliseconds since the epoch. */
  readonly at: number | null;
  /** Reads again now. */
  reload(): void;
  /** Shows other data until the next reading: what an act is about to do. */
  show(data: T): void;
}

/** Time between two readings of what a view shows, in milliseconds, unless it says so itself. */
const EVERY_MS = 30_000;
/** Least time between two readings because of the stream. */
const CHANGED_MS = 1_000;

export interface QueryOptions {
  readonly everyMs?: number;
  /** Topics of the stream whose events change the data: it is then read again at once. */
  readonly topics?: readonly Topic[];
}

/**
 * Reads what a view shows, and again every 30 s while it is in sight, and when something of its topics happens. `key` names it: data of another key is dropped. Null: nothing is read.
 */
export function useQuery<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  options: QueryOptions | number = {},
): Query<T> {
  const { everyMs = EVERY_MS, topics = [] } = typeof options === 'number' ? { everyMs: options } : options;
  const [state, setState] = useState<{
    key: string | null;
    data: T | null;
    failure: Failure | null;
    at: number | null;
  }>({
    key,
    data: null,
    failure: null,
    at: null,
  });
  const latest = useRef(read);
  latest.current = read;
  const reading = useRef<() => void>(() => {});
  useEffect(() => {
    if (key === null) return;
    let ending = new AbortController();
    const run = async () => {
      ending.abort();
      ending = new AbortController();
      const { signal } = ending;
      try {
        const data = await latest.current(signal);
        if (!signal.aborted) setState({ key, data, failure: null, at: Date.now() });
      } catch (error) {
        if (signal.aborted) return;
        const failure =
          error instanceof Failure ? error : new Failure({ code: 'CONSOLE_ERROR', message: String(error) });
        setState((old) => ({ ...(old.key === key ? old : { data: null, at: null }), key, failure }));
      }
    };
    reading.current = () => void run();
    void run();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !isSignInNeeded.value) void run();
    }, everyMs);
    let soon: ReturnType<typeof setTimeout> | undefined;
    const leave = onChanged(topics, () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        if (document.visibilityState === 'visible' && !isSignInNeeded.value) void run();
      }, CHANGED_MS);
    });
    return () => {
      clearInterval(timer);
      clearTimeout(soon);
      leave();
      ending.abort();
    };
  }, [key, everyMs, topics.join()]);
  const isOurs = state.key === key;
  return {
    data: isOurs ? state.data : null,
    failure: isOurs ? state.failure : null,
    at: isOurs ? state.at : null,
    reload: () => reading.current(),
    show: (data) => setState({ key, data, failure: null, at: Date.now() }),
  };
}
