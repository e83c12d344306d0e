import type { Knex } from 'knex';
import { eventKinds } from '../../src/events/index.js';

/** Keeps every event that is published from now on: a consumer of all kinds that never runs. */
export async function keepEvents(db: Knex): Promise<void> {
  const kinds = Object.keys(eventKinds);
  await db('event_subscriptions').insert(
    kinds.map((kind) => ({ consumer: 'test.kept', kind, announced_at: new Date() })),
  );
}

/** Kept events of monitors, oldest first; events of nodes may be published in between at any time. */
export function monitorEvents(db: Knex): Knex.QueryBuilder {
  return db('outbox')
    .whereLike('kind', 'monitor.%')
    .whereNotIn('kind', ['monitor.created', 'monitor.changed'])
    .orderBy('id');
}
