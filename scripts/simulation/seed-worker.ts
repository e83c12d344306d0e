import { parentPort } from 'node:worker_threads';
import { runForOutcome } from './seed-outcome.js';

// A thread of many-seeds.ts: receives a seed, reports its outcome, and receives the next.

parentPort?.on('message', async (seed: number) => {
  parentPort?.postMessage(await runForOutcome(seed), []);
});
