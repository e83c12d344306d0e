import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Measures for how long this process stands still at most, from now until the returned function is called; milliseconds.
 * On a busy machine that may be longer than a limit that a test checks, and is no fault of what it tests.
 */
export function watchStalls(): () => number {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  return () => {
    delays.disable();
    return delays.max / 1_000_000;
  };
}
