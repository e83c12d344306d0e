import { setTimeout as pause } from 'node:timers/promises';

/** Calls `act` for each item at a fixed rate, late calls at once. Resolves after the last one. */
export async function atRate<T>(items: readonly T[], perSecond: number, act: (item: T) => unknown): Promise<void> {
  const startedMs = performance.now();
  for (const [index, item] of items.entries()) {
    const waitMs = startedMs + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    void act(item);
  }
}

/** Resolves when `isSo`. @throws Error after `limitMs`, with `what` */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
    await pause(20);
  }
}
