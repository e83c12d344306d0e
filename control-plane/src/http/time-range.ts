import { compileTest } from '@vantage/shared/validation.js';
import { Type } from 'typebox';
import { type ApiError, fieldError } from './errors.js';

const SECOND_MS = 1_000;
const unitsMs: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: 60 * SECOND_MS,
  h: 3_600 * SECOND_MS,
  d: 86_400 * SECOND_MS,
};

/**
 * Greatest distance of an instant from now, in milliseconds: no data is kept that long, so a larger one is a mistake.
 */
const FARTHEST_MS = 10 * 366 * 86_400 * SECOND_MS;

const instant = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      description: `${description}: ISO 8601 date-time with a time zone, or a time before now: \`-7d\`, \`-1h\`, \`-30m\`, \`-90s\`.`,
    }),
  );

/** Query parameters that narrow a list to a time (API specification 2.1); `timeRangeOf` reads them. */
export const timeRangeQuery = {
  from: instant('From this instant on'),
  to: instant('Before this instant; default: now'),
};

/** Instants in milliseconds since the epoch, `fromMs` included, `toMs` not; null if not narrowed on that side. */
export interface TimeRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** @throws ApiError VALIDATION_FAILED at `from` or `to`: not an instant, out of reach, or an empty range */
export function timeRangeOf(query: { readonly from?: string; readonly to?: string }, nowMs: number): TimeRange {
  const fromMs = query.from === undefined ? null : instantOf('from', query.from, nowMs);
  const toMs = query.to === undefined ? null : instantOf('to', query.to, nowMs);
  if (fromMs !== null && fromMs >= (toMs ?? nowMs)) throw fieldError('from', 'range', 'must be before "to"');
  return { fromMs, toMs };
}

/** Milliseconds since the epoch of an instant or a time before now. @throws ApiError VALIDATION_FAILED at `field` */
export function instantOf(field: string, text: string, nowMs: number): number {
  const instantMs = parseRelative(text, nowMs) ?? parseDateTime(text);
  if (instantMs === null) throw notAnInstant(field);
  if (Math.abs(instantMs - nowMs) <= FARTHEST_MS) return instantMs;
  throw fieldError(field, 'range', 'must be within ten years of now');
}

function parseRelative(text: string, nowMs: number): number | null {
  const [, count, unit = ''] = /^-(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  return count === undefined || unitMs === undefined ? null : nowMs - Number(count) * unitMs;
}

const isDateTime = compileTest(Type.String({ format: 'date-time' }));

/** RFC 3339, the form of ISO 8601 that names one instant. */
function parseDateTime(text: string): number | null {
  // the plus of a zone that was not percent-encoded arrives as a space
  const written = text.replace(/ (?=\d\d:\d\d$)/, '+').toUpperCase();
  const instantMs = isDateTime(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(instantMs) ? null : instantMs;
}

function notAnInstant(field: string): ApiError {
  return fieldError(field, 'format', 'must be an ISO 8601 date-time with its zone, or an age such as "-7d"');
}
