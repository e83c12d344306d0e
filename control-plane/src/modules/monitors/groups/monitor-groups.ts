import { idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { Type } from 'typebox';
import { field, formOf, text } from '../../../http/resource/form.js';
import { resource } from '../../../http/resource/resource.js';
import { lockOwner } from '../../../owners/index.js';
import type { MonitorAct } from '../definition/monitor-act.js';
import { findGroupByName } from './group-store.js';

/** Groups of an account. */
export const MAX_GROUPS = 1_000;

const sortOrder = Type.Integer({
  minimum: -2_147_483_648,
  maximum: 2_147_483_647,
  description:
    'Position in lists of groups, in ascending order; groups with equal positions are sorted by creation. Default: 0.',
});

/** Groups of monitors (API specification 2.4); their deletion is routes/delete-group.ts. */
export const monitorGroups = resource({
  name: 'monitor_group',
  operation: 'MonitorGroup',
  words: ['group of monitors', 'groups of monitors'],
  path: '/v1/monitor-groups',
  tag: 'Monitors',
  scopes: { read: 'monitor:read', write: 'monitor:write' },
  table: 'monitor_groups',
  idPrefix: idPrefixes.monitorGroup,
  form: formOf(
    { title: 'MonitorGroup', idPrefix: idPrefixes.monitorGroup },
    {
      name: text({ max: 200, example: 'Production', shown: Type.String() }),
      sort_order: field(sortOrder, { initial: 0, shown: Type.Integer() }),
    },
  ),
  hasUpdatedAt: false,
  orderBy: 'sort_order, id',
  cap: { most: MAX_GROUPS, field: 'monitor_groups' },
  notFound: 'NOT_FOUND',
  texts: {
    list: 'Sorted by `sort_order`, then by creation.',
    create: `Set \`group_id\` of a monitor to put it into the group. An account may have ${MAX_GROUPS} groups.`,
    change: 'Fields that are left out do not change.',
  },
  examples: { create: { name: 'Production', sort_order: 1 }, change: { name: 'Production' } },
  audited: ({ name }) => ({ name }),
});

/** Id of the group with a name, which is created if it does not exist. @throws ApiError VALIDATION_FAILED, ACCOUNT_DELETED */
export async function groupNamed(trx: Knex, name: string, act: MonitorAct, nowMs: number): Promise<string> {
  // of two concurrent creations the second waits here for the first, and finds its group
  await lockOwner(trx, act.account.owner);
  const found = await findGroupByName(trx, name, act.account.owner);
  return found ?? (await monitorGroups.create(trx, { name }, act, nowMs)).id;
}
