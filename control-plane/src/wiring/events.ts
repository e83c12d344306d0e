import type { Knex } from 'knex';
import type { Bus } from '../bus/bus.js';
import { Backlogs, type Consumer, Consumers, published } from '../events/index.js';
import type { Foundation } from './foundation.js';

/** Hands events to all consumers, as soon as they are published in this replica or in another one; it does not run yet. */
export function wireEvents(
  { db, agentsDb, clock, log, metrics }: Foundation,
  { bus, consumers }: { readonly bus: Bus; readonly consumers: readonly Consumer[] },
): Consumers {
  const running = new Consumers({ db: agentsDb, consumers, clock, log: log.child({ part: 'events' }) });
  for (const pool of [db, agentsDb]) {
    published.listen(pool, () => running.look());
    broadcastPublished(pool, bus);
  }
  bus.onMessage(({ type }) => {
    if (type === 'events') running.look();
  });
  bus.onResync(() => running.look());
  const backlogs = new Backlogs({ db: agentsDb, consumers: running.names, clock });
  metrics.watchOutbox(() => backlogs.read());
  return running;
}

/** Notifies other replicas of events that are published over these connections. */
export function broadcastPublished(db: Knex, bus: Bus): void {
  published.listen(db, ({ kinds, ownerIds }) => {
    bus.broadcast({ type: 'events', ids: kinds });
    bus.broadcast({ type: 'owner-events', ids: ownerIds });
  });
}
