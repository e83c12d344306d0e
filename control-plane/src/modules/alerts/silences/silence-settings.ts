import { ApiError, fieldError } from '../../../http/errors.js';
import { parseInstant } from '../../../http/resource/form.js';
import { namedScope } from '../../monitors/index.js';
import { silenceStatus } from './silence.js';
import type { SilenceFields } from './silence-row.js';
import { type AlertSilenceChange, type AlertSilenceCreate, LONGEST_SILENCE_DAYS } from './silence-schema.js';

/** Greatest length of a silence, and distance of its times from now. */
const LONGEST_MS = LONGEST_SILENCE_DAYS * 86_400_000;

/**
 * Fields of a new silence. Does not check that monitors and groups of the scope belong to the caller.
 * @throws ApiError VALIDATION_FAILED
 */
export function newSilence(body: AlertSilenceCreate, nowMs: number): SilenceFields {
  const { starts_at: startsAt, ends_at: endsAt, duration_sec: seconds } = body;
  const begin = startsAt === undefined ? new Date(nowMs) : instantOf('starts_at', startsAt, nowMs);
  if (endsAt !== undefined && seconds !== undefined)
    throw fieldError('duration_sec', 'conflict', 'cannot be combined with ends_at: send one of them');
  const end =
    endsAt === undefined
      ? new Date(begin.getTime() + (seconds ?? missing('ends_at')) * 1_000)
      : instantOf('ends_at', endsAt, nowMs);
  const field = endsAt === undefined ? 'duration_sec' : 'ends_at';
  checkTimes(field, { begin, end }, nowMs);
  return {
    ...scopeOf(body),
    severities: body.severities ?? [],
    reason: body.reason.trim(),
    starts_at: begin,
    ends_at: end,
  };
}

/**
 * Fields of a silence after `body` was applied to the previous ones.
 * @throws ApiError VALIDATION_FAILED; CONFLICT if the silence is over, or has begun and its begin is to change
 */
export function changedSilence(body: AlertSilenceChange, before: SilenceFields, nowMs: number): SilenceFields {
  const { starts_at, ends_at } = before;
  const status = silenceStatus({ startsAtMs: starts_at.getTime(), endsAtMs: ends_at.getTime() }, nowMs);
  if (status === 'expired') throw conflict('id', 'the silence has ended: create another one');
  if (status === 'active' && body.starts_at !== undefined) throw conflict('starts_at', 'the silence has begun');
  const begin = body.starts_at === undefined ? starts_at : instantOf('starts_at', body.starts_at, nowMs);
  const end = body.ends_at === undefined ? ends_at : instantOf('ends_at', body.ends_at, nowMs);
  checkTimes(body.ends_at === undefined ? 'starts_at' : 'ends_at', { begin, end }, nowMs);
  const { scope_type, scope_ids, severities } = before;
  const reason = (body.reason ?? before.reason).trim();
  return { scope_type, scope_ids, severities, reason, starts_at: begin, ends_at: end };
}

function scopeOf({
  monitor_id: monitorId,
  scope_type: type,
  scope_ids: ids,
}: AlertSilenceCreate): Pick<SilenceFields, 'scope_type' | 'scope_ids'> {
  if (typeof monitorId === 'string') {
    if (type !== undefined || ids !== undefined)
      throw fieldError('monitor_id', 'conflict', 'cannot be combined with scope_type and scope_ids: send one of them');
    return { scope_type: 'monitor', scope_ids: [monitorId] };
  }
  if (type === undefined && ids !== undefined) throw fieldError('scope_type', 'required', 'is required with scope_ids');
  if (type === undefined || type === 'all') {
    if (ids !== undefined && ids.length > 0)
      throw fieldError('scope_ids', 'conflict', 'must be empty where "scope_type" is all');
    return { scope_type: 'all', scope_ids: [] };
  }
  return namedScope(type, ids);
}

function checkTimes(
  field: 'starts_at' | 'ends_at' | 'duration_sec',
  { begin, end }: { readonly begin: Date; readonly end: Date },
  nowMs: number,
): void {
  if (end <= begin)
    throw fieldError(field, 'range', field === 'starts_at' ? 'must be before "ends_at"' : 'must be after "starts_at"');
  if (end.getTime() <= nowMs) throw fieldError(field, 'range', 'the silence must end in the future');
  if (end.getTime() - nowMs > LONGEST_MS)
    throw fieldError(field, 'range', `the silence must end within ${LONGEST_SILENCE_DAYS} days from now`);
  if (end.getTime() - begin.getTime() > LONGEST_MS)
    throw fieldError(field, 'range', `the silence may last at most ${LONGEST_SILENCE_DAYS} days`);
}

/** Instant within the permitted distance. */
function instantOf(field: string, text: string, nowMs: number): Date {
  const at = parseInstant(field, text);
  if (Math.abs(at.getTime() - nowMs) > LONGEST_MS)
    throw fieldError(field, 'range', `must be within ${LONGEST_SILENCE_DAYS} days of now`);
  return at;
}

function conflict(field: string, message: string): ApiError {
  return new ApiError('CONFLICT', { details: { [field]: [{ code: 'conflict', message }] } });
}

function missing(field: string): never {
  throw fieldError(field, 'required', 'is required unless duration_sec is sent');
}
