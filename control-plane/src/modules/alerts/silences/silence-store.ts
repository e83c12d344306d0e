import type { Knex } from 'knex';
import { type CountedPage, type PageRange, queryNamed, queryPage } from '../../../db/named.js';
import { type Owner, ofOwner, ownedBy } from '../../../owners/index.js';
import type { SilenceStatus } from './silence.js';
import type { SilenceFields, SilenceRow } from './silence-row.js';

const COLUMNS = `id, owner_id, created_by, is_test, scope_type, scope_ids, severities, reason, starts_at, ends_at, created_at, updated_at`;

/** Number of silences of an owner that end after an instant. */
export async function countSilences(trx: Knex, ownerId: string, at: Date): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `SELECT count(*)::int AS count FROM alert_silences WHERE ${ofOwner()} AND ends_at > :at`,
    { ownerId, at },
  );
  return rows[0]?.count ?? 0;
}

/** Stores a new silence. */
export async function insertSilence(
  trx: Knex,
  silence: SilenceFields & Pick<SilenceRow, 'id' | 'owner_id' | 'created_by' | 'is_test'>,
  at: Date,
): Promise<SilenceRow> {
  const [row] = await trx('alert_silences')
    .insert({ ...silence, created_at: at, updated_at: at })
    .returning('*');
  return row;
}

/** Changes the reason and the times of a silence. */
export async function updateSilence(
  trx: Knex,
  id: string,
  { reason, starts_at, ends_at }: Pick<SilenceFields, 'reason' | 'starts_at' | 'ends_at'>,
  at: Date,
): Promise<SilenceRow> {
  const [row] = await trx('alert_silences')
    .where({ id })
    .update({ reason, starts_at, ends_at, updated_at: at })
    .returning('*');
  return row;
}

/** Deletes a silence. */
export async function deleteSilence(trx: Knex, id: string): Promise<void> {
  await trx('alert_silences').where({ id }).delete();
}

/** Silence of an owner; null: none. */
export async function findSilence(db: Knex, id: string, owner: Owner): Promise<SilenceRow | null> {
  const sql = `SELECT ${COLUMNS} FROM alert_silences WHERE id = :id AND ${ownedBy(owner)}`;
  const [row] = await queryNamed<SilenceRow>(db, 'alert-silence', sql, { id, ownerId: owner.id });
  return row ?? null;
}

/** Same as `findSilence`, locked until the transaction ends. */
export async function lockSilence(trx: Knex, id: string, owner: Owner): Promise<SilenceRow | null> {
  const { rows } = await trx.raw<{ rows: SilenceRow[] }>(
    `SELECT * FROM alert_silences WHERE id = :id AND ${ownedBy(owner)} FOR UPDATE`,
    { id, ownerId: owner.id },
  );
  return rows[0] ?? null;
}

/** NOTE: in step with `silenceStatus` in silence.ts */
const IS_IN: Readonly<Record<SilenceStatus, string>> = {
  upcoming: 'starts_at > :at AND ends_at > :at',
  active: 'starts_at <= :at AND ends_at > :at',
  expired: 'ends_at <= :at',
};

/** Page of an owner's silences, newest first, and the number of all. `status`: at the instant `at`; undefined: any. */
export function listSilences(
  db: Knex,
  owner: Owner,
  { status, at, ...page }: PageRange & { readonly status: SilenceStatus | undefined; readonly at: Date },
): Promise<CountedPage<SilenceRow>> {
  const where = status === undefined ? ownedBy(owner) : `${ownedBy(owner)} AND ${IS_IN[status]}`;
  const query = { name: 'alert-silences', columns: COLUMNS, from: 'alert_silences', where, orderBy: 'id DESC' };
  return queryPage<SilenceRow>(db, query, { ownerId: owner.id, at, ...page });
}

/** Silences of several owners that end after an instant. */
export async function readSilences(db: Knex, ownerIds: readonly string[], at: Date): Promise<SilenceRow[]> {
  const { rows } = await db.raw<{ rows: SilenceRow[] }>(
    'SELECT * FROM alert_silences WHERE owner_id = ANY(:ownerIds) AND ends_at > :at ORDER BY id',
    { ownerIds: [...ownerIds], at },
  );
  return rows;
}

/** Ids of the silences of an owner. */
export async function listSilencesOf(trx: Knex, ownerId: string): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM alert_silences WHERE ${ofOwner()} ORDER BY id`,
    { ownerId },
  );
  return rows.map(({ id }) => id);
}

/** Deletes all silences of an owner. */
export async function deleteSilencesOfOwner(trx: Knex, ownerId: string): Promise<void> {
  await trx('alert_silences').where({ owner_id: ownerId }).delete();
}

/** Deletes silences that ended before an instant. */
export async function deleteSilencesEndedBefore(db: Knex, before: Date): Promise<void> {
  await db('alert_silences').where('ends_at', '<', before).delete();
}
