import { alertSeverities } from '@vantage/shared/alerts/policy.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { IsTestSchema } from '../../../http/is-test.js';
import { monitorScopeSchemas } from '../../monitors/index.js';
import { silenceStatuses } from './silence.js';

/** Days that a silence may last. */
export const LONGEST_SILENCE_DAYS = 365;

const closed = { additionalProperties: false } as const;

const Reason = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', example: 'Planned change of the switches' });
const Instant = Type.String({ format: 'date-time', maxLength: 40 });
const StartsAt = { ...Instant, description: 'Start; default: now.', example: '2026-11-21T22:00:00Z' };
const EndsAt = {
  ...Instant,
  description: `End, after \`starts_at\` and now, at most ${LONGEST_SILENCE_DAYS} days after both.`,
  example: '2026-11-21T23:30:00Z',
};
const Severities = Type.Array(Type.Enum([...alertSeverities], { type: 'string' }), {
  maxItems: alertSeverities.length,
  uniqueItems: true,
  description: 'Severities of the alerts that are silenced; empty: all.',
});
const DurationSec = Type.Integer({
  minimum: 1,
  maximum: LONGEST_SILENCE_DAYS * 86_400,
  description: 'Seconds from `starts_at` to the end, in place of `ends_at`.',
});

/** Silence (API specification 2.5). */
export const AlertSilenceSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.alertSilence) }),
    user_id: Type.String(),
    is_test: IsTestSchema,
    monitor_id: nullable(Type.String(), 'Monitor, if the scope is exactly one; otherwise null.'),
    scope_type: monitorScopeSchemas.scope_type,
    scope_ids: Type.Array(Type.String()),
    severities: Severities,
    reason: Reason,
    starts_at: Instant,
    ends_at: Instant,
    status: Type.Enum([...silenceStatuses], { type: 'string' }),
    created_by: Type.String({ description: 'Id of the user who created the silence.' }),
    created_at: Instant,
    updated_at: Instant,
  },
  { ...closed, title: 'AlertSilence' },
);

/** Request to create a silence. */
export const AlertSilenceCreateSchema = Type.Object(
  {
    reason: Reason,
    monitor_id: Type.Optional(
      nullable(
        Type.String({ maxLength: 64 }),
        'Monitor, in place of `scope_type` and `scope_ids`. Null, or left out, without a scope: every monitor.',
      ),
    ),
    scope_type: Type.Optional(monitorScopeSchemas.scope_type),
    scope_ids: Type.Optional(monitorScopeSchemas.scope_ids),
    severities: Type.Optional(Severities),
    starts_at: Type.Optional(StartsAt),
    ends_at: Type.Optional(EndsAt),
    duration_sec: Type.Optional(DurationSec),
  },
  { ...closed, title: 'AlertSilenceCreate' },
);
export type AlertSilenceCreate = Static<typeof AlertSilenceCreateSchema>;

/** Request to change a silence. */
export const AlertSilenceChangeSchema = Type.Object(
  {
    reason: Type.Optional(Reason),
    starts_at: Type.Optional({ ...StartsAt, description: 'Start; can be changed until the silence has begun.' }),
    ends_at: Type.Optional(EndsAt),
  },
  { ...closed, minProperties: 1, title: 'AlertSilenceChange' },
);
export type AlertSilenceChange = Static<typeof AlertSilenceChangeSchema>;
