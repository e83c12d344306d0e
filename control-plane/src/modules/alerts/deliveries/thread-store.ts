import type { Knex } from 'knex';
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

/** Id that the vendor gave the first message of a thread; null: there was none. */
export async function findFirst(db: Knex, { channel_id, thread, recipient }: Place): Promise<string | null> {
  const row = await db('alert_threads')
    .where({ channel_id, thread, recipient: recipient ?? '' })
    .first<{ provider_id: string } | undefined>('provider_id');
  return row?.provider_id ?? null;
}

/** Deletes threads that began before an instant. */
export async function deleteThreadsBefore(db: Knex, before: Date): Promise<void> {
  await db('alert_threads').where('created_at', '<', before).delete();
}
