import type { Knex } from 'knex';

/** Active monitor without data for a long time. */
export interface SilentMonitor {
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly group_id: string | null;
  readonly tags: readonly string[];
  readonly changed_at: Date;
}

/** Tolerance for losses of a node's network, which the node reports only when the network is back. */
const UPLINK_SLACK = "interval '1 hour'";

/**
 * Claims monitors without data for `forMs`, if that was not published, in the order of their ids; no one else can claim them
 * until the transaction ends. Left out: new monitors, heartbeats, and those of which every node had lost its own network.
 */
export async function claimSilent(
  trx: Knex,
  { forMs, afterId, limit }: { readonly forMs: number; readonly afterId: string; readonly limit: number },
): Promise<SilentMonitor[]> {
  const { rows } = await trx.raw<{ rows: SilentMonitor[] }>(
    `SELECT m.id, m.owner_id, m.is_test, m.name, m.type, m.target, m.group_id, m.tags, s.changed_at
     FROM monitor_states s JOIN monitors m ON m.id = s.monitor_id
     WHERE s.health = 'unknown' AND s.no_data_at IS NULL AND s.first_check_at IS NOT NULL AND m.status = 'active'
       AND m.type <> 'heartbeat' AND s.changed_at < clock_timestamp() - :forMs * interval '1 millisecond' AND m.id > :afterId
       AND NOT coalesce((
         SELECT bool_and(EXISTS (
           SELECT FROM node_uplink_losses l WHERE l.node_id = a.node_id AND l.last_at > s.changed_at - ${UPLINK_SLACK}
         )) FROM monitor_assignments a WHERE a.monitor_id = m.id AND a.ended_at IS NULL
       ), false)
     ORDER BY m.id LIMIT :limit FOR NO KEY UPDATE OF s SKIP LOCKED`,
    { forMs, afterId, limit },
  );
  return rows;
}

/** Records that the lack of data of these monitors was published. */
export async function noteNoData(trx: Knex, monitorIds: readonly string[]): Promise<void> {
  await trx.raw('UPDATE monitor_states SET no_data_at = changed_at WHERE monitor_id = ANY(?)', [[...monitorIds]]);
}
