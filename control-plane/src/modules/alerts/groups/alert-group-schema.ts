import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { type Static, Type } from 'typebox';
import { IsTestSchema } from '../../../http/is-test.js';
import { groupings } from './alert-group.js';

const closed = { additionalProperties: false } as const;

const Instant = Type.String({ format: 'date-time' });
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', example: 'Shops' });
const GroupBy = Type.Enum([...groupings], {
  type: 'string',
  description:
    'Monitors of the group: `monitor_prefix`: those whose name begins with `group_value`, in any case; `tag`: those with this tag; `type`: those of this type.',
});
const GroupValue = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', example: 'shop' });
const WaitSeconds = Type.Integer({
  minimum: 0,
  maximum: 3_600,
  description: 'Seconds from the first alert of the group to its first message. Default: 30.',
});
const IntervalSeconds = Type.Integer({
  minimum: 60,
  maximum: 86_400,
  description: 'Least number of seconds between two messages about changes. Default: 300.',
});

/** Group (API specification 2.5). */
export const AlertGroupSchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.alertGroup) }),
    user_id: Type.String(),
    is_test: IsTestSchema,
    name: Name,
    group_by: GroupBy,
    group_value: GroupValue,
    wait_seconds: WaitSeconds,
    interval_seconds: IntervalSeconds,
    created_at: Instant,
    updated_at: Instant,
  },
  { ...closed, title: 'AlertGroup' },
);

const times = { wait_seconds: Type.Optional(WaitSeconds), interval_seconds: Type.Optional(IntervalSeconds) };

/** Request to create a group. */
export const AlertGroupCreateSchema = Type.Object(
  { name: Name, group_by: GroupBy, group_value: GroupValue, ...times },
  { ...closed, title: 'AlertGroupCreate' },
);
export type AlertGroupCreate = Static<typeof AlertGroupCreateSchema>;

/** Request to change a group. */
export const AlertGroupChangeSchema = Type.Object(
  {
    name: Type.Optional(Name),
    group_by: Type.Optional(GroupBy),
    group_value: Type.Optional(GroupValue),
    ...times,
  },
  { ...closed, minProperties: 1, title: 'AlertGroupChange' },
);
export type AlertGroupChange = Static<typeof AlertGroupChangeSchema>;
