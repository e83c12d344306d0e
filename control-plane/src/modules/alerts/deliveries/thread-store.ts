import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import type { DeliveryRow } from './delivery.js';

type Place = Pick<DeliveryRow, 'channel_id' | 'thread' | 'recipient'>;

/** Stores the id of an accepted message, if it is the first of its thread on its channel. */
export async function insertFirst(
  trx: Knex,
  { channel_id, thread, recipient }: Place,
  { providerId, at }: { readonly providerId: string; readonly at: Date },
): Promise<void> {
  await trx('alert_threads')
    .insert({ channel_id, thread, recipient: recipient ?? '', provider_id: providerId, created_at: at })
    .onConflict(['channel_id', 'thread', 'recipient'])
    .ignore();
}

/** Ids that vendors gave the first messages of the threads of these deliveries, by delivery; missing where there was none. */
export async function readFirsts(
  db: Knex,
  rows: readonly (Place & Pick<DeliveryRow, 'id'>)[],
): Promise<ReadonlyMap<string, string>> {
  const found = await queryPrepared<{ id: string; provider_id: string }>(db, FIRSTS, [
    rows.map(({ id }) => id),
    rows.map(({ channel_id: id }) => id),
    rows.map(({ thread }) => thread),
    rows.map(({ recipient }) => recipient ?? ''),
  ]);
  return new Map(found.map(({ id, provider_id: providerId }) => [id, providerId]));
}

const FIRSTS = {
  name: 'alerts-first-messages',
  text: `SELECT d.id, t.provider_id FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS d(id, channel_id, thread, recipient)
    JOIN alert_threads t USING (channel_id, thread, recipient)`,
};

/** Deletes threads that began before an instant. */
export async function deleteThreadsBefore(db: Knex, before: Date): Promise<void> {
  await db('alert_threads').where('created_at', '<', before).delete();
}
