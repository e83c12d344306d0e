import { isTimezone } from '@vantage/shared/timezone.js';
import { Cron } from 'croner';

// Expected times of a heartbeat. The next time is found in local time and converted to an instant; then the grace is added:
//
//   last ping ──next firing after it, or the interval──> expected ──grace──> down
//
// A local time that a change of clocks skips is expected at the end of the gap; one that occurs twice is expected once, unless
// the expression names every hour.

/** Schedule of a heartbeat. API specification 2.2. */
export type HeartbeatRule =
  | { readonly mode: 'interval'; readonly intervalSeconds: number; readonly graceSeconds: number }
  | {
      readonly mode: 'cron';
      readonly cronExpression: string;
      /** IANA name. */
      readonly timezone: string;
      readonly graceSeconds: number;
    };

/** Invalid cron expression or time zone; the message describes the problem for the user. */
export class CronExpressionError extends Error {
  override readonly name = 'CronExpressionError';
}

const MAX_LENGTH = 100;
const LOOK_AHEAD_FIRINGS = 300;
/** Shortest time between two firings of an expression of five fields. */
const LEAST_GAP_MS = 60_000;
/** 29 February comes every four years, or after eight. */
const LOOK_AHEAD_MS = 9 * 366 * 86_400_000;

/** The expected times of one heartbeat. */
export class HeartbeatSchedule {
  readonly #rule: HeartbeatRule;
  readonly #cron: Cron | null;
  /** Last lookup and its result: a lookup takes a millisecond, and pings arrive close together. */
  #found = { afterMs: 0, expectedMs: 0 };

  /** @throws CronExpressionError */
  constructor(rule: HeartbeatRule) {
    this.#rule = rule;
    this.#cron = rule.mode === 'cron' ? parseCron(rule.cronExpression, rule.timezone) : null;
  }

  /** Expected time of the ping after one at `afterMs`; milliseconds since the epoch. */
  expectedAfter(afterMs: number): number {
    if (this.#rule.mode === 'interval') return afterMs + this.#rule.intervalSeconds * 1_000;
    const isBetween = this.#found.afterMs <= afterMs && afterMs < this.#found.expectedMs;
    if (isBetween) return this.#found.expectedMs;
    const next = this.#cron?.nextRun(new Date(afterMs));
    // it fired when it was parsed, and years repeat
    if (!next) throw new CronExpressionError('never fires again');
    this.#found = { afterMs, expectedMs: next.getTime() };
    return next.getTime();
  }

  /** Instant at which the monitor is down unless a ping arrives, after one at `afterMs`. */
  deadlineAfter(afterMs: number): number {
    return this.expectedAfter(afterMs) + this.#rule.graceSeconds * 1_000;
  }

  /** Next `count` expected times after `afterMs`, if every ping arrives on time. */
  nextExpected(afterMs: number, count: number): number[] {
    const times: number[] = [];
    for (let last = afterMs; times.length < count; times.push(last)) last = this.expectedAfter(last);
    return times;
  }

  /** Shortest time between two expected times, in seconds, among the next three hundred or those of nine years. */
  smallestGapSeconds(nowMs: number): number {
    if (this.#rule.mode === 'interval') return this.#rule.intervalSeconds;
    let smallestMs = Number.POSITIVE_INFINITY;
    let last = this.expectedAfter(nowMs);
    for (let firing = 1; firing < LOOK_AHEAD_FIRINGS && last < nowMs + LOOK_AHEAD_MS; firing += 1) {
      if (smallestMs <= LEAST_GAP_MS) break;
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
