import { systemClock } from '@vantage/shared/clock.js';

/**
 * Longest wait for open handles after a command has ended, in milliseconds; usually a socket whose last packets were
 * lost.
 */
const LINGER_MS = 1_000;

/** Ends the process when nothing is open any more, or without that once all its output is read. */
export function exitSoon(): void {
  systemClock.after(LINGER_MS, () => process.stdout.write('', () => process.exit()), { unref: true });
}
