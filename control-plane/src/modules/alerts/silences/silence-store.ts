import type { Knex } from 'knex';
import { ofOwner } from '../../../owners/index.js';
import type { SilenceRow } from './silence-row.js';

/** Number of silences of an owner that end after an instant. */
export async function countSilences(trx: Knex, ownerId: string, at: Date): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM alert_silences WHERE ${ofOwner()} AND ends_at > :at`,
    { ownerId, at },
  );
  return rows[0]?.count ?? 0;
}

/** Silences of several owners that end after an instant. */
export async function readSilences(db: Knex, ownerIds: readonly string[], at: Date): Promise<SilenceRow[]> {
  const { rows } = await db.raw<{ rows: SilenceRow[] }>(
    'SELECT * FROM alert_silences WHERE owner_id = ANY(:ownerIds) AND ends_at > :at ORDER BY id',
    { ownerIds: [...ownerIds], at },
  );
  return rows;
}

/** Deletes silences that ended before an instant. */
export async function deleteSilencesEndedBefore(db: Knex, before: Date): Promise<void> {
  await db('alert_silences').where('ends_at', '<', before).delete();
}
