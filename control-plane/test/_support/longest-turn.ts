import { readFileSync } from 'node:fs';
import type { Test } from 'tap';

/** Measurement of the event loop while some work ran. */
export interface TurnLoad<T> {
  /** Processor time of the main thread in the longest turn, in milliseconds. */
  readonly longestMs: number;
  readonly turns: number;
  readonly result: T;
}

/** Limit for a turn of the event loop, in milliseconds: a longer one holds up links, leases and all requests. */
export const LONGEST_TURN_MS = 50;
/**
 * Number of attempts. A turn that is long only sometimes was the garbage collector or the compiler: work that holds the
 * loop holds it every time.
 */
const ATTEMPTS = 4;

/** Checks that no turn of the event loop is long while `work` runs, in at least one of a few attempts. */
export async function holdsNobodyUp(t: Test, name: string, work: () => unknown): Promise<void> {
  let [longestMs, turns] = [Number.POSITIVE_INFINITY, 0];
  for (let attempt = 0; attempt < ATTEMPTS && longestMs >= LONGEST_TURN_MS; attempt += 1) {
    const load = await measureTurns(work);
    if (load.longestMs < longestMs) ({ longestMs, turns } = load);
  }
  t.ok(longestMs < LONGEST_TURN_MS, `${name}: ${longestMs.toFixed(1)} ms in the longest of ${turns} turns`);
}

/**
 * Runs `work`, and measures the longest time that a turn of the event loop keeps the main thread. Other processes of a
 * loaded machine, waiting, and threads of this process do not make a turn longer.
 */
export async function measureTurns<T>(work: () => T | Promise<T>): Promise<TurnLoad<T>> {
  let [turns, longestMs, before] = [0, 0, mainThreadMs()];
  const noteTurn = () => {
    const now = mainThreadMs();
    turns += 1;
    longestMs = Math.max(longestMs, now - before);
    before = now;
  };
  let next = setImmediate(function tick() {
    noteTurn();
    next = setImmediate(tick);
  });
  try {
    const result = await work();
    noteTurn();
    return { longestMs, turns, result };
  } finally {
    clearImmediate(next);
  }
}

/** Processor time of the process's first thread, in milliseconds. Linux, with the scheduler's statistics. */
export function mainThreadMs(): number {
  const [nanoseconds = ''] = readFileSync('/proc/self/schedstat', 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}
