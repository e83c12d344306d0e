import type { Knex } from 'knex';

/** All alerts of a message about several. */
export interface DigestRow {
  readonly message_group: string;
  readonly owner_id: string;
  readonly alert_ids: readonly string[];
  readonly created_at: Date;
}

/** Stores the alerts of messages whose deliveries do not name them all. */
export async function insertDigests(trx: Knex, rows: readonly DigestRow[]): Promise<void> {
  if (rows.length > 0) await trx('alert_digests').insert(rows).onConflict('message_group').ignore();
}

/** Ids of all alerts of messages, by message group; those whose deliveries name them all are missing. */
export async function readDigests(
  db: Knex,
  messageGroups: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (messageGroups.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: Pick<DigestRow, 'message_group' | 'alert_ids'>[] }>(
    'SELECT message_group, alert_ids FROM alert_digests WHERE message_group = ANY(?)',
    [[...messageGroups]],
  );
  return new Map(rows.map(({ message_group: group, alert_ids: ids }) => [group, ids]));
}

/** Alerts of the message of a delivery; null if there is none. */
export async function findReceivedAlerts(db: Knex, deliveryId: string): Promise<readonly string[] | null> {
  const { rows } = await db.raw<{ rows: { alert_ids: string[] }[] }>(
    `SELECT coalesce(g.alert_ids, d.alert_ids) AS alert_ids
     FROM alert_deliveries d LEFT JOIN alert_digests g ON g.message_group = d.message_group WHERE d.id = ?`,
    [deliveryId],
  );
  return rows[0]?.alert_ids ?? null;
}

/** Forgets the alerts of messages that were made before an instant. */
export async function deleteDigestsBefore(db: Knex, before: Date): Promise<void> {
  await db('alert_digests').where('created_at', '<', before).delete();
}

/** Forgets the alerts of the messages of an owner. */
export async function deleteDigestsOf(trx: Knex, ownerId: string): Promise<void> {
  await trx('alert_digests').where({ owner_id: ownerId }).delete();
}
