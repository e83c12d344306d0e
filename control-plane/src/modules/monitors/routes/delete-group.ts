import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { ApiError } from '../../../http/errors.js';
import { defineRoute } from '../../../http/route.js';
import { emptyGroup } from '../groups/group-store.js';
import { monitorGroups } from '../groups/monitor-groups.js';
import { insertDue } from '../judging/state-store.js';
import { idParams as params, tag, writes } from './monitor-access.js';

/** DELETE /v1/monitor-groups/{id} (API specification 2.4). */
export const deleteMonitorGroup = defineRoute({
  operationId: 'deleteMonitorGroup',
  method: 'DELETE',
  path: '/v1/monitor-groups/{id}',
  summary: 'Delete a group of monitors',
  description: 'Its monitors are kept without a group, and leave the maintenance windows of the group.',
  tag,
  auth: writes,
  params,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { resources: { db }, monitors }) {
    const { params, account } = request;
    await db.transaction(async (trx) => {
      if ((await monitorGroups.store.find(trx, params.id, account.owner)) === null) throw new ApiError('NOT_FOUND');
      // lock monitors before their group, like an act that puts a monitor into it
      const monitorIds = await emptyGroup(trx, params.id);
      const group = await monitorGroups.lock(trx, params.id, account);
      const { id, owner_id: ownerId, name } = group;
      await monitorGroups.store.delete(trx, group);
      // they may have left a maintenance window of the group
      await insertDue(trx, monitorIds);
      const details = { name, monitors: monitorIds.length };
      await monitorGroups.record(trx, id, 'deleted', { actor: actorOf(request), ownerId }, details);
    });
    monitors.judge();
    return { status: 200, data: null };
  },
});
