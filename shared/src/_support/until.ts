import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes where the machine is slow and full, shorter than the runner's limit of a file. */
const DEADLINE_MS = 120_000;
const PAUSE_MS = { least: 2, most: 50 };

/**
 * Waits until `condition` is true. Looks again after a twentieth of the time waited so far, 2 to 50 ms: what comes at once is
 * noticed at once, and a long wait takes little processor time. @throws Error naming `what` after `deadlineMs`
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const begin = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - begin;
    if (waitedMs > deadlineMs) throw new Error(`waited ${deadlineMs} ms without success for ${what}`);
    await pause(Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waitedMs / 20)));
  }
}
