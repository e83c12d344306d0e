import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { IsTestSchema } from '../../../http/is-test.js';
import { monitorScopeSchemas } from '../definition/monitor-scope.js';

const recurrences = ['none', 'daily', 'weekly', 'monthly'] as const;

const Title = nullable(Type.String({ maxLength: 200 }), 'Title; null: none.');
const Instant = Type.String({ format: 'date-time', maxLength: 40 });
const StartsAt = {
  ...Instant,
  description: 'Start of the first occurrence, within ten years of now.',
  example: '2026-11-21T22:00:00Z',
};
const EndsAt = {
  ...Instant,
  description:
    'End of the first occurrence, after `starts_at`: at most 24 hours after it if the window recurs daily, 7 days if weekly, 28 days if monthly.',
  example: '2026-11-21T23:30:00Z',
};
const Recurrence = Type.Enum([...recurrences], {
  type: 'string',
  description:
    'Every occurrence has the same local times in `timezone` as the first one. In a month without that day, the occurrence is on the last day. Default: none.',
});
const Until = nullable(
  Instant,
  'Instant after which no occurrence begins, not before `starts_at`; null: no end. Null if the window does not recur.',
);
const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA name of the time zone. Default: the time zone of your profile.',
  example: 'Europe/Berlin',
});
const AdvanceNotice = Type.Integer({
  minimum: 0,
  maximum: 10_080,
  description: 'Minutes before each occurrence at which you get an e-mail; 0 (default): no e-mail.',
});

const optional = {
  title: Type.Optional(Title),
  scope_ids: Type.Optional(monitorScopeSchemas.scope_ids),
  recurrence: Type.Optional(Recurrence),
  recurrence_until: Type.Optional(Until),
  timezone: Type.Optional(Timezone),
  advance_notice_minutes: Type.Optional(AdvanceNotice),
};

/** Fields of a new maintenance window. API specification 2.4. */
export const WindowCreateSchema = Type.Object(
  { ...optional, scope_type: monitorScopeSchemas.scope_type, starts_at: StartsAt, ends_at: EndsAt },
  { additionalProperties: false, title: 'MaintenanceWindowCreate' },
);

/** Fields of a window that an update may change; those left out do not change. */
export const WindowChangeSchema = Type.Object(
  {
    ...optional,
    scope_type: Type.Optional(monitorScopeSchemas.scope_type),
    starts_at: Type.Optional(StartsAt),
    ends_at: Type.Optional(EndsAt),
  },
  { additionalProperties: false, minProperties: 1, title: 'MaintenanceWindowChange' },
);
export type WindowChange = Static<typeof WindowChangeSchema>;

/** Maintenance window as its owner sees it. API specification 2.4. */
export const WindowSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.maintenanceWindow) }),
    user_id: Type.String(),
    is_test: IsTestSchema,
    title: Title,
    scope_type: monitorScopeSchemas.scope_type,
    scope_ids: Type.Array(Type.String()),
    starts_at: Instant,
    ends_at: Instant,
    recurrence: Recurrence,
    recurrence_until: Until,
    timezone: Type.String({ description: 'IANA name of the time zone.', example: 'Europe/Berlin' }),
    advance_notice_minutes: AdvanceNotice,
    created_at: Instant,
  },
  { additionalProperties: false, title: 'MaintenanceWindow' },
);
