import { SeededRandom } from '../seeded-random.js';
import { type MemoryGrowth, MemoryWatch } from './memory-watch.js';
import { type FuzzInput, makeInput } from './mutations.js';
import type { FuzzSide } from './side.js';

/** Decoding is timed again when it took this long, milliseconds. */
const SLOW_MS = 10;
const CHECK_EVERY = 1_000;

/** A run of inputs against one side. */
export interface FuzzPlan {
  readonly side: FuzzSide;
  readonly seed: number;
  readonly first: number;
  readonly inputs: number;
  readonly onProgress: (done: number) => void;
  /** Ends the run early. */
  readonly signal?: AbortSignal;
}

/** A harmful input; `index` is null where the input cannot be identified. */
export interface FuzzFinding {
  readonly what: string;
  readonly index: number | null;
}

export interface FuzzReport {
  readonly inputs: number;
  readonly seconds: number;
  readonly growth: MemoryGrowth;
  readonly slowestMs: number;
  readonly slowestIndex: number;
  readonly finding: FuzzFinding | null;
}

/** The input of this number, and when in a link's life it comes: the same for the same seed. */
export function inputOf(side: FuzzSide, seed: number, index: number): { stage: string; input: FuzzInput } {
  const random = new SeededRandom(Math.imul(seed, 0x85eb_ca6b) ^ index);
  const roll = random.below(20);
  const stage = side.stages[roll < side.stages.length - 1 ? roll : side.stages.length - 1] ?? 'open';
  return { stage, input: makeInput(random, side.seeds) };
}

/**
 * Feeds a side its inputs, from all attackers at once, and checks after each thousand that no other peer was harmed.
 */
export async function fuzz({ side, seed, first, inputs, onProgress, signal }: FuzzPlan): Promise<FuzzReport> {
  const startedAt = performance.now();
  const watch = new Watch();
  const memory = new MemoryWatch(inputs);
  const slowest = { ms: 0, index: first };
  const end = first + inputs;
  let next = first;
  const take = async (attacker: number) => {
    while (next < end && watch.finding === null && signal?.aborted !== true) {
      const index = next;
      next += 1;
      await watch.guard(index, async () => {
        const { stage, input } = inputOf(side, seed, index);
        const ms = decodeMs(side, input.bytes);
        if (ms > slowest.ms) Object.assign(slowest, { ms, index });
        await side.attack(attacker, stage, input);
        if (index % CHECK_EVERY === 0) await side.checkBystander();
      });
      await memory.after(index - first);
      if ((index - first) % CHECK_EVERY === 0) onProgress(index - first);
    }
  };
  await Promise.all(Array.from({ length: side.attackers }, (_, attacker) => take(attacker)));
  await watch.guard(null, () => side.checkBystander());
  const growth = await memory.end(next - first);
  const leak = memory.judge(growth);
  if (leak !== null) watch.report(leak, null);
  watch.stop();
  return {
    inputs: next - first,
    seconds: (performance.now() - startedAt) / 1000,
    growth,
    slowestMs: slowest.ms,
    slowestIndex: slowest.index,
    finding: watch.finding,
  };
}

/**
 * Time for decoding one input, by the processor's clock, because the machine may be busy; the shortest of a few tries
 * once one took long.
 */
function decodeMs(side: FuzzSide, bytes: Buffer): number {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10 && best > SLOW_MS; tries += 1) {
    const before = process.cpuUsage();
    try {
      side.decode(bytes);
    } catch {
      // most inputs are malformed
    }
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** Keeps the first thing that went wrong, also outside of any promise that is waited for. */
class Watch {
  finding: FuzzFinding | null = null;
  #running = new Set<number>();
  readonly #onStray = (error: unknown) => this.report(`unhandled: ${String(error)}`, [...this.#running][0] ?? null);

  constructor() {
    process.on('unhandledRejection', this.#onStray);
    process.on('uncaughtException', this.#onStray);
  }

  async guard(index: number | null, step: () => Promise<void>): Promise<void> {
    if (index !== null) this.#running.add(index);
    try {
      await step();
    } catch (error) {
      this.report(String(error), index);
    } finally {
      if (index !== null) this.#running.delete(index);
    }
  }

  report(what: string, index: number | null): void {
    this.finding ??= { what, index };
  }

  stop(): void {
    process.off('unhandledRejection', this.#onStray);
    process.off('uncaughtException', this.#onStray);
  }
}
