import type { Knex } from 'knex';

/** Channels that one claim looks at: an account has at most 50, so that the turns of accounts are fair. */
const CANDIDATES = 1_000;

/** Notes that messages wait for channels, from `dueAtMs` on. */
export async function queueLanes(
  trx: Knex,
  lanes: readonly { readonly channelId: string; readonly ownerId: string }[],
  dueAtMs: number,
): Promise<void> {
  if (lanes.length === 0) return;
  // in one order, so that two transactions with the same channels do not wait for each other
  const owners = new Map(lanes.map(({ channelId, ownerId }) => [channelId, ownerId]));
  const sorted = [...owners].sort(([a], [b]) => (a < b ? -1 : 1));
  await trx.raw(
    `INSERT INTO alert_lanes (channel_id, owner_id, due_at)
     SELECT channel_id, owner_id, :dueAt FROM unnest(:channelIds::text[], :ownerIds::text[]) AS l(channel_id, owner_id)
     ON CONFLICT (channel_id) DO UPDATE SET due_at = least(alert_lanes.due_at, excluded.due_at)`,
    { dueAt: new Date(dueAtMs), channelIds: sorted.map(([id]) => id), ownerIds: sorted.map(([, owner]) => owner) },
  );
}

/** Lease on channels. */
export interface Lease {
  readonly id: string;
  readonly nowMs: number;
  readonly untilMs: number;
}

const IS_FREE = 'coalesce(leased_until <= :now, true) AND coalesce(held_until <= :now, true)';

/** Leases channels with due messages: of each account one, then of each a second one. @returns their ids */
export async function claimLanes(trx: Knex, lease: Lease, limit: number): Promise<string[]> {
  // coalesce keeps the second condition on due_at from the index: in a storm, which statistics do not know, all due lanes would be
  // read for each of them
  const { rows } = await trx.raw<{ rows: { channel_id: string }[] }>(
    `WITH due AS (
       SELECT channel_id, owner_id, due_at FROM alert_lanes
       WHERE due_at <= :now AND ${IS_FREE} ORDER BY due_at LIMIT :candidates
     ), turns AS (
       SELECT channel_id, due_at, row_number() OVER (PARTITION BY owner_id ORDER BY due_at) AS turn FROM due
     ), chosen AS (
       SELECT l.channel_id FROM alert_lanes l JOIN turns t USING (channel_id)
       WHERE coalesce(l.due_at <= :now, false) AND ${IS_FREE}
       ORDER BY t.turn, t.due_at LIMIT :limit FOR UPDATE OF l SKIP LOCKED
     )
     UPDATE alert_lanes l SET lease = :lease, leased_until = :until FROM chosen c
     WHERE l.channel_id = c.channel_id RETURNING l.channel_id`,
    { now: new Date(lease.nowMs), until: new Date(lease.untilMs), lease: lease.id, limit, candidates: CANDIDATES },
  );
  return rows.map((row) => row.channel_id);
}

/** Lease of a channel, locked until the transaction ends; null: it has none. */
export async function lockLane(trx: Knex, channelId: string): Promise<string | null> {
  const lane = await trx('alert_lanes').where({ channel_id: channelId }).forUpdate().first<{ lease: string | null }>();
  return lane?.lease ?? null;
}

/** Ends the lease of a channel: when its next message is due, null: none waits; and until when it takes none, null: it does. */
export async function releaseLane(
  trx: Knex,
  channelId: string,
  { dueAt, heldUntilMs }: { readonly dueAt: Date | null; readonly heldUntilMs: number | null },
): Promise<void> {
  await trx('alert_lanes')
    .where({ channel_id: channelId })
    .update({
      due_at: dueAt,
      held_until: heldUntilMs === null ? null : new Date(heldUntilMs),
      lease: null,
      leased_until: null,
    });
}

/** Deletes the lane of a channel. */
export async function deleteLane(trx: Knex, channelId: string): Promise<void> {
  await trx('alert_lanes').where({ channel_id: channelId }).delete();
}
