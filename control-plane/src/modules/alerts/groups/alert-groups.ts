import { alternatives } from '@vantage/shared/complaints.js';
import { idPrefixes } from '@vantage/shared/ids.js';
import { monitorTypeWords, parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { Type } from 'typebox';
import { fieldError } from '../../../http/errors.js';
import { field, formOf, type ResourceRow, type Stored, text } from '../../../http/resource/form.js';
import { resource } from '../../../http/resource/resource.js';
import { queueAlertsOf } from '../events/due-store.js';
import { type AlertGroup, groupings, groupValue } from './alert-group.js';

/** Groups of an account: every alert asks all of them. */
const MAX_ALERT_GROUPS = 50;

const fields = {
  name: text({ max: 200, example: 'Shops' }),
  group_by: field(
    Type.Enum([...groupings], {
      type: 'string',
      description:
        'Monitors of the group: `monitor_prefix`: those whose name begins with `group_value`, in any case; `tag`: those with this tag; `type`: those of this type.',
    }),
  ),
  group_value: text({ max: 200, example: 'shop' }),
  wait_seconds: field(
    Type.Integer({
      minimum: 0,
      maximum: 3_600,
      description: 'Seconds from the first alert of the group to its first message. Default: 30.',
    }),
    { initial: 30 },
  ),
  interval_seconds: field(
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      description: 'Least number of seconds between two messages about changes. Default: 300.',
    }),
    { initial: 300 },
  ),
};
type Columns = Stored<typeof fields>;

/** Groups of alerts (API specification 2.5). */
export const alertGroups = resource({
  name: 'alert_group',
  operation: 'AlertGroup',
  words: ['alert group', 'alert groups'],
  path: '/v1/alert-groups',
  tag: 'Alert groups',
  scopes: { read: 'alert:read', write: 'alert:write' },
  table: 'alert_groups',
  idPrefix: idPrefixes.alertGroup,
  form: formOf({ title: 'AlertGroup', idPrefix: idPrefixes.alertGroup, hasUpdatedAt: true }, fields, (group) => ({
    ...group,
    group_value: valueOf(group),
  })),
  cap: { most: MAX_ALERT_GROUPS, field: 'alert_groups' },
  notFound: 'ALERT_NOISE_RULE_NOT_FOUND',
  texts: {
    list: 'Newest first.',
    create: `Messages about alerts of the group are joined. A monitor that several groups match is in the one that was created first. An account may have ${MAX_ALERT_GROUPS} groups.`,
    change: 'Fields that are left out do not change.',
    delete: 'Its alerts belong to the next group that matches, or to none.',
  },
  examples: {
    create: { name: 'Shops', group_by: 'monitor_prefix', group_value: 'shop', wait_seconds: 60 },
    change: { wait_seconds: 120 },
  },
  audited: ({ name }) => ({ name }),
  after: (trx, { ownerId }) => queueAlertsOf(trx, [ownerId]),
});

/** Value as monitors have it: tags are in lower case, and types have one name. */
function valueOf({ group_by: by, group_value: value }: Columns): string {
  if (by === 'monitor_prefix') return value;
  if (by === 'tag') return value.toLowerCase();
  const type = parseTypeName(value);
  if (type === null)
    throw fieldError('group_value', 'enum', `no such type of monitor${alternatives(value, monitorTypeWords)}`);
  return type;
}

/** A group as decisions read it. */
export function groupIn(row: ResourceRow & Columns): AlertGroup {
  return {
    id: row.id,
    name: row.name,
    isTest: row.is_test,
    by: row.group_by,
    value: groupValue(row.group_by, row.group_value),
    waitMs: row.wait_seconds * 1_000,
    intervalMs: row.interval_seconds * 1_000,
    createdAtMs: row.created_at.getTime(),
  };
}
