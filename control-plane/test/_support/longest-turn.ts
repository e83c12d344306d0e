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
const LONGEST_TURN_MS = 50;
/** Fixed pieces of work, and their times on a machine that has its processors and its memory for itself, in milliseconds. */
const references = [
  { quietMs: 30, work: sortNumbers },
  { quietMs: 5, work: touchMemory },
];
/**
 * Number of attempts. A turn that is long only sometimes was the garbage collector or the compiler: work that holds the
 * loop holds it every time.
 */
const ATTEMPTS = 4;

/** Checks that no turn of the event loop is long while `work` runs, in at least one of a few attempts. */
export async function holdsNobodyUp(t: Test, name: string, work: () => unknown): Promise<void> {
  const tried: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { longestMs, turns } = await measureTurns(work);
    const slowness = longestMs < LONGEST_TURN_MS ? 1 : slownessOfMachine();
    const limitMs = LONGEST_TURN_MS * slowness;
    tried.push(`${longestMs.toFixed(1)} of ${limitMs.toFixed(1)} ms in the longest of ${turns} turns`);
    if (longestMs < limitMs) break;
    if (attempt === ATTEMPTS - 1) t.fail(`${name}: ${tried.join('; ')}`);
  }
  t.comment(`${name}: ${tried.at(-1)}`);
}

/**
 * Factor by which fixed work takes more processor time than on a quiet machine, at least 1. A processor that is shared with other
 * threads or virtual machines does less in the same time, and some hypervisors take ten times as long for a new page of memory: limits
 * grow with both.
 */
function slownessOfMachine(): number {
  const factors = references.map(({ quietMs, work }) => {
    const before = mainThreadMs();
    work();
    return (mainThreadMs() - before) / quietMs;
  });
  return Math.max(1, ...factors);
}

function sortNumbers(): void {
  const numbers = Array.from({ length: 100_000 }, (_, index) => (index * 7_919) % 100_003);
  numbers.sort((a, b) => a - b);
}

/** More than the C library keeps for later when it is freed (mallopt(3), M_MMAP_THRESHOLD): each of this size is new memory. */
const ALWAYS_NEW_BYTES = 33 * 1024 * 1024;
const PAGE_BYTES = 4_096;

function touchMemory(): void {
  const memory = Buffer.alloc(ALWAYS_NEW_BYTES);
  for (let at = 0; at < 8 * 1024 * 1024; at += PAGE_BYTES) memory[at] = 1;
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
