import { idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { field, formOf, type Given } from '../../../http/resource/form.js';
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

const fields = {
  title: field(Title, { initial: null }),
  scope_type: field(monitorScopeSchemas.scope_type),
  scope_ids: field(monitorScopeSchemas.scope_ids, { initial: [], shown: Type.Array(Type.String()) }),
  starts_at: field(StartsAt, { shown: Instant }),
  ends_at: field(EndsAt, { shown: Instant }),
  recurrence: field(Recurrence, { initial: 'none' }),
  recurrence_until: field(Until, { initial: null }),
  timezone: field(Timezone, {
    initial: 'UTC',
    shown: Type.String({ description: 'IANA name of the time zone.', example: 'Europe/Berlin' }),
  }),
  advance_notice_minutes: field(AdvanceNotice, { initial: 0 }),
};

/** Fields of a maintenance window as bodies have them. */
export type WindowChange = Given<typeof fields>;

/** Bodies of maintenance windows (API specification 2.4). */
export const windowForm = formOf({ title: 'MaintenanceWindow', idPrefix: idPrefixes.maintenanceWindow }, fields);
