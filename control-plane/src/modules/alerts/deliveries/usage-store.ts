import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { PlanQuota } from '../types/channel-type.js';

/** Count of one month. */
export interface Usage {
  readonly ownerId: string;
  readonly quota: PlanQuota;
  /** First day of the month, UTC: `2026-01-01`. */
  readonly month: string;
}

/** Counts one message, unless `most` are counted. @returns false if they are */
export async function takeUsage(db: Knex, { ownerId, quota, month }: Usage, most: number): Promise<boolean> {
  if (most <= 0) return false;
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `INSERT INTO alert_usage (owner_id, quota, month, used) VALUES (:ownerId, :quota, :month, 1)
     ON CONFLICT (owner_id, quota, month) DO UPDATE SET used = alert_usage.used + 1 WHERE alert_usage.used < :most
     RETURNING used`,
    { ownerId, quota, month, most },
  );
  return rows.length > 0;
}

/** Number of messages that are counted. */
export async function readUsage(db: Knex, { ownerId, quota, month }: Usage): Promise<number> {
  const [row] = await queryPrepared<{ used: number }>(db, USED, [ownerId, quota, month]);
  return row?.used ?? 0;
}

const USED = {
  name: 'alerts-used',
  text: 'SELECT used::int AS used FROM alert_usage WHERE owner_id = $1 AND quota = $2 AND month = $3',
};

/** Takes back the count of a message that was not sent. */
export async function returnUsage(db: Knex, { ownerId, quota, month }: Usage): Promise<void> {
  await db('alert_usage').where({ owner_id: ownerId, quota, month }).where('used', '>', 0).decrement('used', 1);
}

/** Deletes counts of months before this one. */
export async function deleteUsageBefore(db: Knex, month: string): Promise<void> {
  await db('alert_usage').where('month', '<', month).delete();
}
