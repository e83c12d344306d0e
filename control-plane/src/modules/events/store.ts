import type { Knex } from 'knex';

/** An event that a consumer failed to handle too often. */
export interface SetAsideRow {
  readonly event_id: string;
  readonly consumer: string;
  readonly kind: string;
  readonly subject: string;
  readonly created_at: Date;
  readonly attempts: number;
  readonly dead_at: Date;
  readonly last_error: string | null;
}

/** Names of all consumers that a replica has announced. */
export async function listConsumers(db: Knex): Promise<string[]> {
  return db('event_subscriptions').distinct('consumer').orderBy('consumer').pluck('consumer');
}

/** Lists the events that are set aside, the newest `limit`, newest first. */
export async function listSetAside(db: Knex, limit: number): Promise<SetAsideRow[]> {
  const { rows } = await db.raw<{ rows: SetAsideRow[] }>(
    `SELECT o.event_id, m.consumer, o.kind, m.subject, o.created_at, m.attempts, m.dead_at, m.last_error
     FROM outbox_marks m JOIN outbox o ON o.id = m.event
     WHERE m.dead_at IS NOT NULL ORDER BY m.dead_at DESC, m.event DESC LIMIT ?`,
    [limit],
  );
  return rows;
}

/** Selection of events that are set aside; null for any. */
export interface SetAsideFilter {
  readonly id: string | null;
  readonly consumer: string | null;
}

export interface EventOfConsumer {
  readonly event_id: string;
  readonly consumer: string;
}

const SELECTED = `m.event = o.id AND m.dead_at IS NOT NULL
  AND (:id::text IS NULL OR o.event_id = :id) AND (:consumer::text IS NULL OR m.consumer = :consumer)`;

/** Makes events that are set aside due again, with all their attempts. */
export async function retrySetAside(trx: Knex, filter: SetAsideFilter): Promise<EventOfConsumer[]> {
  const { rows } = await trx.raw<{ rows: EventOfConsumer[] }>(
    `UPDATE outbox_marks m SET dead_at = NULL, attempts = 0, due_at = clock_timestamp(), last_error = NULL
     FROM outbox o WHERE ${SELECTED} RETURNING o.event_id, m.consumer`,
    { ...filter },
  );
  return rows;
}

/** Gives up events that are set aside. An event without consumers is deleted within the hour. */
export async function dropSetAside(trx: Knex, filter: SetAsideFilter): Promise<EventOfConsumer[]> {
  const { rows } = await trx.raw<{ rows: EventOfConsumer[] }>(
    `DELETE FROM outbox_marks m USING outbox o WHERE ${SELECTED} RETURNING o.event_id, m.consumer`,
    { ...filter },
  );
  return rows;
}
