import { setTimeout as pause } from 'node:timers/promises';

// Loaded into a measuring child with --import: keeps its event loop from everything else for a while, again and again.

const BLOCKS_MS = [1, 1.5, 2, 3, 4, 6, 9, 14, 22, 35, 70, 110];
/** Between two blocks in the mean: a probe of 20 to 40 ms meets one or two. */
const MEAN_PAUSE_MS = 40;

void block();

async function block(): Promise<never> {
  for (;;) {
    await pause(-Math.log(1 - Math.random()) * MEAN_PAUSE_MS);
    const endsAt = performance.now() + (BLOCKS_MS[Math.floor(Math.random() * BLOCKS_MS.length)] ?? 0);
    while (performance.now() < endsAt);
  }
}
