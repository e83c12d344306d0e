import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes where the machine is slow and full, shorter than the runner's limit of a file. */
const DEADLINE_MS = 120_000;

/** Waits until `condition` is true, looking again every 5 ms. @throws Error naming `what` after `deadlineMs` */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms without success for ${what}`);
    await pause(5);
  }
}
