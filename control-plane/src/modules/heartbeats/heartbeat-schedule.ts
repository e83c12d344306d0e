import { isTimezone } from '@vantage/shared/timezone.js';
import { Cron } from 'croner';

// When a heartbeat is expected. The next time is found in local time and made an instant, and only then the grace is added:
//
//   last ping ──next firing after it, or the interval──> expected ──grace──> down
//
// A wall time that a change of clocks skips is expected at the end of the gap; one that comes twice is expected once, unless
// the expression names every hour.

/** What a heartbeat monitor is told. API specification 2.2. */
export type HeartbeatRule =
  | { readonly mode: 'interval'; readonly intervalSeconds: number; readonly graceSeconds: number }
  | {
      readonly mode: 'cron';
      readonly cronExpression: string;
      /** IANA name. */
      readonly timezone: string;
      readonly graceSeconds: number;
    };

/** The message tells what is wrong with the expression or its zone, for the person who wrote it. */
export class CronExpressionError extends Error {
  override readonly name = 'CronExpressionError';
}

const MAX_LENGTH = 100;
const LOOK_AHEAD_FIRINGS = 1_000;
/** 29 February comes every four years, or after eight. */
const LOOK_AHEAD_MS = 9 * 366 * 86_400_000;

/** The expected times of one heartbeat. */
export class HeartbeatSchedule {
  readonly #rule: HeartbeatRule;
  readonly #cron: Cron | null;

  /** @throws CronExpressionError */
  constructor(rule: HeartbeatRule) {
    this.#rule = rule;
    this.#cron = rule.mode === 'cron' ? parseCron(rule.cronExpression, rule.timezone) : null;
  }

  /** When the next ping after one at `afterMs` is expected; milliseconds since the epoch. */
  expectedAfter(afterMs: number): number {
    if (this.#rule.mode === 'interval') return afterMs + this.#rule.intervalSeconds * 1_000;
    const next = this.#cron?.nextRun(new Date(afterMs));
    // it fired when it was parsed, and years repeat
    if (!next) throw new CronExpressionError('never fires again');
    return next.getTime();
  }

  /** When the monitor is down unless a ping comes, after one at `afterMs`. */
  deadlineAfter(afterMs: number): number {
    return this.expectedAfter(afterMs) + this.#rule.graceSeconds * 1_000;
  }

  /** The next `count` times after `afterMs`, if every ping came when it was expected. */
  nextExpected(afterMs: number, count: number): number[] {
    const times: number[] = [];
    for (let last = afterMs; times.length < count; times.push(last)) last = this.expectedAfter(last);
    return times;
  }

  /** Seconds between two expected times at least, among the next thousand or those of nine years. */
  smallestGapSeconds(nowMs: number): number {
    if (this.#rule.mode === 'interval') return this.#rule.intervalSeconds;
    let smallestMs = Number.POSITIVE_INFINITY;
    let last = this.expectedAfter(nowMs);
    for (let firing = 1; firing < LOOK_AHEAD_FIRINGS && last < nowMs + LOOK_AHEAD_MS; firing += 1) {
      const next = this.expectedAfter(last);
      smallestMs = Math.min(smallestMs, next - last);
      last = next;
    }
    return Math.floor(smallestMs / 1_000);
  }
}

function parseCron(expression: string, timezone: string): Cron {
  // croner knows nicknames, seconds, years and more; what people write is cron's own five fields
  if (expression.length > MAX_LENGTH) throw new CronExpressionError(`longer than ${MAX_LENGTH} characters`);
  if (expression.trim().split(/\s+/).length !== 5)
    throw new CronExpressionError('not five fields: minute, hour, day of month, month, day of week');
  if (!/^[\dA-Za-z*,/#\s-]+$/.test(expression)) throw new CronExpressionError('not a cron expression');
  if (!isTimezone(timezone)) throw new CronExpressionError(`unknown time zone "${timezone}"`);
  const cron = construct(expression, timezone);
  if (cron.nextRun(new Date(0)) === null) throw new CronExpressionError('never fires: no date fits');
  return cron;
}

function construct(expression: string, timezone: string): Cron {
  try {
    return new Cron(expression, { timezone, mode: '5-part', domAndDow: false, paused: true });
  } catch (error) {
    throw new CronExpressionError(error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error));
  }
}
