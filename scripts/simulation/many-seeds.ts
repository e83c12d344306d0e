import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SeedOutcome } from './seed-outcome.js';

/** Range of seeds, and the listener for their outcomes. */
export interface ManySeeds {
  readonly first: number;
  readonly count: number;
  readonly onOutcome: (outcome: SeedOutcome) => void;
}

/** Runs many seeds, on every core there is; they share nothing. @throws what a run threw, with its seed */
export async function runManySeeds({ first, count, onOutcome }: ManySeeds): Promise<void> {
  let next = first;
  const take = () => (next < first + count ? next++ : null);
  const threads = Math.min(count, availableParallelism());
  await Promise.all(Array.from({ length: threads }, () => runInThread(take, onOutcome)));
}

async function runInThread(take: () => number | null, onOutcome: ManySeeds['onOutcome']): Promise<void> {
  const worker = new Worker(new URL('./seed-worker.js', import.meta.url));
  try {
    for (let seed = take(); seed !== null; seed = take()) onOutcome(await outcomeOf(worker, seed));
  } finally {
    await worker.terminate();
  }
}

function outcomeOf(worker: Worker, seed: number): Promise<SeedOutcome> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', resolve);
    worker.once('error', (cause) => reject(new Error(`seed ${seed} ended with an error`, { cause })));
    worker.once('exit', () => reject(new Error(`seed ${seed} ended the thread it ran in`)));
    worker.postMessage(seed, []);
  });
}
