import { isTimezone } from '@vantage/shared/timezone.js';
import { Cron } from 'croner';

// Expected times of a heartbeat. The next time is found in local time and converted to an instant; then the grace is added:
//
//   last ping ──next firing after it, or the interval──> expected ──grace──> down
//
// Expressions mean what they mean to the cron of Debian (crontab(5), cron(8)):
// - A day field that begins with `*` limits the other one: a date has to fit both. Else it has to fit one of them.
// - A local time that a change of clocks skips is expected at the end of the gap, and one that occurs twice is expected once. Unless
//   minute or hour begins with `*`: then skipped times are left out, and repeated ones are expected again.

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
/** 29 February comes every four years, or after eight. On a given weekday it comes every 28: to find such a time takes long. */
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

  /**
   * Shortest time between two expected times, in seconds, among the next three hundred or those of nine years.
   * @throws CronExpressionError if it does not fire for nine years
   */
  smallestGapSeconds(nowMs: number): number {
    if (this.#rule.mode === 'interval') return this.#rule.intervalSeconds;
    let smallestMs = Number.POSITIVE_INFINITY;
    let last = nowMs;
    for (let firing = 0; firing < LOOK_AHEAD_FIRINGS && last < nowMs + LOOK_AHEAD_MS; firing += 1) {
      if (smallestMs <= LEAST_GAP_MS) break;
      const next = this.expectedAfter(last);
      if (next > last + LOOK_AHEAD_MS) throw new CronExpressionError('does not fire for more than nine years');
      if (firing > 0) smallestMs = Math.min(smallestMs, next - last);
      last = next;
    }
    return Math.floor(smallestMs / 1_000);
  }
}

function parseCron(expression: string, timezone: string): Cron {
  // croner knows nicknames, seconds, years and more; what people write is cron's own five fields
  if (expression.length > MAX_LENGTH) throw new CronExpressionError(`longer than ${MAX_LENGTH} characters`);
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5)
    throw new CronExpressionError('not five fields: minute, hour, day of month, month, day of week');
  if (!/^[\dA-Za-z*,/#\s-]+$/.test(expression)) throw new CronExpressionError('not a cron expression');
  if (!isTimezone(timezone)) throw new CronExpressionError(`unknown time zone "${timezone}"`);
  const cron = construct(fields, timezone);
  if (cron.nextRun(new Date(0)) === null) throw new CronExpressionError('never fires: no date fits');
  return cron;
}

function construct(fields: readonly string[], timezone: string): Cron {
  const [minute = '', hour = '', ...days] = fields;
  const [date = '', , weekday = ''] = days;
  const domAndDow = date.startsWith('*') || weekday.startsWith('*');
  const pattern = [withoutSteps(minute, 59), withoutSteps(hour, 23), ...days].join(' ');
  try {
    return new Cron(pattern, { timezone, mode: '5-part', fixedTimeRule: 'no-wildcard', domAndDow, paused: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    throw new CronExpressionError(`not a cron expression: ${reason}`);
  }
}

/**
 * Field with the values of its steps and wildcards in place of these, unless it begins with `*`: croner takes each step and wildcard
 * for a job that a change of clocks neither moves nor keeps from running twice, cron only a field that begins with one.
 */
function withoutSteps(field: string, last: number): string {
  if (field.startsWith('*')) return field;
  return field
    .split(',')
    .map((part) => valuesOf(part, last) ?? part)
    .join();
}

/** Values of `*` or a range with a step; null if the part is another one, or croner refuses it. */
function valuesOf(part: string, last: number): readonly number[] | null {
  const match = /^(?:\*|(\d\d?)-(\d\d?))(?:\/(\d\d?))?$/.exec(part);
  if (match === null) return null;
  const [from, to, step] = [Number(match[1] ?? 0), Number(match[2] ?? last), Number(match[3] ?? 1)];
  if (from > to || to > last || step === 0 || step > last) return null;
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}
