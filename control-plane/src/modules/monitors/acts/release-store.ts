import type { Knex } from 'knex';
import type { Owner } from '../../../owners/index.js';
import { lockStatesOf } from '../judging/state-store.js';

/** Deletes the monitors, groups and windows of an owner who leaves; the nodes drop them when they are notified. */
export async function deleteMonitorsOf(trx: Knex, { id: ownerId }: Pick<Owner, 'id'>): Promise<void> {
  await lockStatesOf(trx, ownerId);
  await trx.raw(
    `INSERT INTO assignment_changes (node_id, changed_at)
     SELECT DISTINCT a.node_id, clock_timestamp() FROM monitor_assignments a JOIN monitors m ON m.id = a.monitor_id
     WHERE m.owner_id = ? AND a.ended_at IS NULL ORDER BY a.node_id
     ON CONFLICT (node_id) DO UPDATE SET changed_at = excluded.changed_at`,
    [ownerId],
  );
  await trx.raw('DELETE FROM monitor_node_states WHERE monitor_id IN (SELECT id FROM monitors WHERE owner_id = ?)', [
    ownerId,
  ]);
  await trx('monitors').where({ owner_id: ownerId }).delete();
  await trx('monitor_groups').where({ owner_id: ownerId }).delete();
  await trx('maintenance_windows').where({ owner_id: ownerId }).delete();
}
