import { systemClock } from '@vantage/shared/clock.js';

/** What is still open when a command has ended (a socket whose last packets were lost, as a rule) keeps nobody waiting longer. */
const LINGER_MS = 1_000;

/** Nothing is left to be done: the process ends when nothing is open any more, or without that, once all it said is read. */
export function exitSoon(): void {
  systemClock.after(LINGER_MS, () => process.stdout.write('', () => process.exit()), { unref: true });
}
