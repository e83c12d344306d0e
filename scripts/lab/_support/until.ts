import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 20_000;

/** Waits until `condition` holds; fails naming `what` when it never does. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await pause(5);
  }
}
