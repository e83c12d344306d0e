import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';

const MAX_SCOPE = 200;

const scopeTypes = ['monitor', 'group', 'tag', 'all'] as const;
const recurrences = ['none', 'daily', 'weekly', 'monthly'] as const;

const Title = nullable(Type.String({ maxLength: 200 }), 'Null: none.');
const ScopeType = Type.Enum([...scopeTypes], { type: 'string', description: 'What `scope_ids` name.' });
const ScopeIds = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '\\S' }), {
  maxItems: MAX_SCOPE,
  description:
    'Ids of your monitors or groups, or tags, which are lower-cased. Not empty, unless the scope is `all`, where it is.',
});
const Instant = Type.String({ format: 'date-time', maxLength: 40 });
const StartsAt = {
  ...Instant,
  description: 'When the first occurrence begins. Within ten years of now.',
  example: '2026-11-21T22:00:00Z',
};
const EndsAt = {
  ...Instant,
  description:
    'When it ends. After `starts_at`, by 24 hours at most where the window is daily, 7 days where it is weekly, 28 where it is monthly.',
  example: '2026-11-21T23:30:00Z',
};
const Recurrence = Type.Enum([...recurrences], {
  type: 'string',
  description:
    'Every occurrence has the wall times of the first in `timezone`. A month without its day has it on its last one. Default: none.',
});
const Until = nullable(
  Instant,
  'No occurrence begins after it. Null: they never end. Not before `starts_at`; null where nothing recurs.',
);
const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA name. Default: that of your profile.',
  example: 'Europe/Berlin',
});
const AdvanceNotice = Type.Integer({
  minimum: 0,
  maximum: 10_080,
  description: 'Minutes before each occurrence at which you get an e-mail; 0, the default: none.',
});

const optional = {
  title: Type.Optional(Title),
  scope_ids: Type.Optional(ScopeIds),
  recurrence: Type.Optional(Recurrence),
  recurrence_until: Type.Optional(Until),
  timezone: Type.Optional(Timezone),
  advance_notice_minutes: Type.Optional(AdvanceNotice),
};

/** What a window is made of. API specification 2.4. */
export const WindowCreateSchema = Type.Object(
  { ...optional, scope_type: ScopeType, starts_at: StartsAt, ends_at: EndsAt },
  { additionalProperties: false, title: 'MaintenanceWindowCreate' },
);

/** What may be changed of it; what is left out stays. */
export const WindowChangeSchema = Type.Object(
  {
    ...optional,
    scope_type: Type.Optional(ScopeType),
    starts_at: Type.Optional(StartsAt),
    ends_at: Type.Optional(EndsAt),
  },
  { additionalProperties: false, minProperties: 1, title: 'MaintenanceWindowChange' },
);
export type WindowChange = Static<typeof WindowChangeSchema>;

/** A window as its owner sees it. API specification 2.4. */
export const WindowSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.maintenanceWindow) }),
    user_id: Type.String(),
    title: Title,
    scope_type: ScopeType,
    scope_ids: Type.Array(Type.String()),
    starts_at: Instant,
    ends_at: Instant,
    recurrence: Recurrence,
    recurrence_until: Until,
    timezone: Type.String({ description: 'IANA name.', example: 'Europe/Berlin' }),
    advance_notice_minutes: AdvanceNotice,
    created_at: Instant,
  },
  { additionalProperties: false, title: 'MaintenanceWindow' },
);
