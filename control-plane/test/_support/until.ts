import { setTimeout } from 'node:timers/promises';

/** Waits until `condition` is true, polling every 20 ms. @throws Error naming `what` after `deadlineMs` */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms without success for ${what}`);
    await setTimeout(20);
  }
}
