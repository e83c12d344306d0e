import { setTimeout as pause } from 'node:timers/promises';

/** Waits until `condition` holds, looking again every 10 ms. @throws Error naming `what` after `deadlineMs` */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms for ${what}, without success`);
    await pause(10);
  }
}
