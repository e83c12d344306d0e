import { isTimezone } from '@vantage/shared/timezone.js';
import { fieldError } from '../../../http/errors.js';
import { parseInstant, type Settling } from '../../../http/resource/form.js';
import { namedScope } from '../definition/monitor-scope.js';
import { longestOccurrenceMs } from './maintenance.js';
import type { WindowChange } from './window-form.js';
import type { WindowFields } from './window-store.js';

/** Greatest distance of an instant from now, in either direction: no one plans further ahead, and history is kept for less. */
const FARTHEST_MS = 10 * 366 * 86_400_000;

/**
 * Fields of a window after `body` was applied to the previous ones. Does not check that the ids of the scope belong to the caller.
 * @throws ApiError VALIDATION_FAILED
 */
export function windowFieldsOf(body: WindowChange, { before, timezone, nowMs }: Settling<WindowFields>): WindowFields {
  const recurrence = body.recurrence ?? before?.recurrence ?? 'none';
  const until = body.recurrence_until === undefined ? before?.recurrence_until : body.recurrence_until;
  const fields: WindowFields = {
    title: titleOf(body.title === undefined ? before?.title : body.title),
    ...scopeOf(body, before),
    starts_at: instantOf('starts_at', body.starts_at, nowMs) ?? before?.starts_at ?? missing('starts_at'),
    ends_at: instantOf('ends_at', body.ends_at, nowMs) ?? before?.ends_at ?? missing('ends_at'),
    recurrence,
    recurrence_until:
      recurrence === 'none' || until === undefined || until === null ? null : dateOf('recurrence_until', until),
    timezone: body.timezone ?? before?.timezone ?? timezone,
    advance_notice_minutes: body.advance_notice_minutes ?? before?.advance_notice_minutes ?? 0,
  };
  checkTimes(fields);
  return fields;
}

/** True if two versions of a window have the same occurrences. */
export function hasSameTimes(a: WindowFields, b: WindowFields): boolean {
  const times = ({ starts_at, ends_at, recurrence, timezone }: WindowFields) =>
    JSON.stringify([starts_at, ends_at, recurrence, timezone]);
  return times(a) === times(b);
}

function checkTimes({ starts_at, ends_at, recurrence, recurrence_until, timezone }: WindowFields): void {
  const lengthMs = ends_at.getTime() - starts_at.getTime();
  if (lengthMs <= 0) throw fieldError('ends_at', 'range', 'must be after "starts_at"');
  if (lengthMs > longestOccurrenceMs(recurrence)) {
    const days = longestOccurrenceMs(recurrence) / 86_400_000;
    const message = `a ${recurrence} window may be ${days === 1 ? '24 hours' : `${days} days`} long: it would not be over when the next one begins`;
    throw fieldError('ends_at', 'range', message);
  }
  if (recurrence_until !== null && recurrence_until < starts_at)
    throw fieldError('recurrence_until', 'range', 'must not be before "starts_at"');
  if (!isTimezone(timezone))
    throw fieldError('timezone', 'format', 'must be a time zone of the IANA database, for example Europe/Berlin');
}

function scopeOf(body: WindowChange, before: WindowFields | null): Pick<WindowFields, 'scope_type' | 'scope_ids'> {
  const scope_type = body.scope_type ?? before?.scope_type ?? missing('scope_type');
  if (scope_type === 'all') return { scope_type, scope_ids: [] };
  const given = body.scope_ids ?? (scope_type === before?.scope_type ? before.scope_ids : undefined);
  return namedScope(scope_type, given);
}

function titleOf(text: string | null | undefined): string | null {
  return text?.trim() || null;
}

/** Instant within the permitted distance; undefined if none is given. */
function instantOf(field: string, text: string | undefined, nowMs: number): Date | undefined {
  if (text === undefined) return undefined;
  const at = parseInstant(field, text);
  if (Math.abs(at.getTime() - nowMs) > FARTHEST_MS) throw fieldError(field, 'range', 'must be within ten years of now');
  return at;
}

function dateOf(field: string, given: string | Date): Date {
  return given instanceof Date ? given : parseInstant(field, given);
}

function missing(field: string): never {
  throw fieldError(field, 'required', 'is required');
}
