import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Distinguishes a leak from noise: held memory is exact after a collection. Resident memory is not: the allocator keeps
// pages, returns them late, and takes a few megabytes at once for the first large frame. Therefore it is read several
// times and the least value counts, and the rise is the median of the slopes between all pairs of readings (Theil and
// Sen): a single step, or a few outliers, do not change it; a leak raises it.

/** Greatest growth of memory after the warm-up, in bytes. */
export const MAX_GROWTH_BYTES = 20 * 1024 * 1024;
/** Inputs after which code is compiled and pools are filled; a run needs twice as many for a word on resident memory. */
const WARM_UP_INPUTS = 2_000;
/** Samples of a run after its warm-up. */
const SAMPLES = 12;
const READINGS = 4;
const BETWEEN_READINGS_MS = 20;

/** Memory after so many inputs, bytes. */
export interface MemorySample {
  readonly inputs: number;
  /** Bytes that the program can reach. */
  readonly held: number;
  /** Resident memory according to the system: the least of a few readings. */
  readonly resident: number;
}

/** Growth of memory over the inputs after the warm-up, in bytes. */
export interface MemoryGrowth {
  readonly heldBytes: number;
  /** Growth between the first and the last sample. */
  readonly residentBytes: number;
  /** Growth by the median slope. */
  readonly residentTrendBytes: number;
}

/** Samples the memory of this process during a run. */
export class MemoryWatch {
  /** Long enough for a word on resident memory; a short run is looked at twice, once its code has been used. */
  readonly #isLong: boolean;
  readonly #every: number;
  readonly #samples: MemorySample[] = [];
  #sampling: Promise<void> = Promise.resolve();
  #due: number;

  constructor(inputs: number) {
    this.#isLong = inputs >= 2 * WARM_UP_INPUTS;
    this.#due = this.#isLong ? WARM_UP_INPUTS : Math.floor(inputs / 4);
    this.#every = this.#isLong ? Math.floor((inputs - WARM_UP_INPUTS) / SAMPLES) : Number.POSITIVE_INFINITY;
  }

  /** Resolves at once unless a sample is due: who finds that takes it. */
  async after(inputs: number): Promise<void> {
    if (inputs < this.#due) return;
    this.#due = inputs + this.#every;
    await this.#sample(inputs);
  }

  /** The last sample, and what all of them say. */
  async end(inputs: number): Promise<MemoryGrowth> {
    await this.#sample(inputs);
    return growthOf(this.#samples);
  }

  /** Describes excessive growth; null if there is none. A run of few inputs shows how code is compiled, not how memory is kept. */
  judge({ heldBytes, residentBytes, residentTrendBytes }: MemoryGrowth): string | null {
    const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
    if (heldBytes > MAX_GROWTH_BYTES) return `memory grew by ${megabytes(heldBytes)} MB`;
    if (!this.#isLong || Math.min(residentBytes, residentTrendBytes) <= MAX_GROWTH_BYTES) return null;
    return `resident memory grew by ${megabytes(residentBytes)} MB, steadily by ${megabytes(residentTrendBytes)} MB`;
  }

  #sample(inputs: number): Promise<void> {
    this.#sampling = this.#sampling.then(
      async () => void this.#samples.push({ inputs, ...(await memory(this.#isLong ? READINGS : 1)) }),
    );
    return this.#sampling;
  }
}

/** Growth over samples in the order of their inputs; zero for fewer than two. */
export function growthOf(samples: readonly MemorySample[]): MemoryGrowth {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return { heldBytes: 0, residentBytes: 0, residentTrendBytes: 0 };
  const slopes = samples.flatMap((a, index) =>
    samples
      .slice(index + 1)
      .flatMap((b) => (b.inputs > a.inputs ? [(b.resident - a.resident) / (b.inputs - a.inputs)] : [])),
  );
  return {
    heldBytes: last.held - first.held,
    residentBytes: last.resident - first.resident,
    residentTrendBytes: median(slopes) * (last.inputs - first.inputs),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The least of so many readings, each after the collector has been. */
async function memory(readings: number): Promise<Omit<MemorySample, 'inputs'>> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const least = { held: Number.POSITIVE_INFINITY, resident: Number.POSITIVE_INFINITY };
  for (let reading = 0; reading < readings; reading += 1) {
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    least.held = Math.min(least.held, heapUsed + external);
    least.resident = Math.min(least.resident, rss);
    if (reading + 1 < readings) await pause(BETWEEN_READINGS_MS);
  }
  return least;
}
