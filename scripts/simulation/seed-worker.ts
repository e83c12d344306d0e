import { parentPort } from 'node:worker_threads';
import { runForOutcome } from './seed-outcome.js';

// A thread of many-seeds.ts: is told a seed, tells what came of it, is told the next.

parentPort?.on('message', async (seed: number) => {
  parentPort?.postMessage(await runForOutcome(seed), []);
});
