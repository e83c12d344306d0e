import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import type { Test } from 'tap';
import { type Consumer, Consumers, defineConsumer, publish } from '../../src/events/index.js';
import { createTestDatabase } from './database.js';

const silent = pino({ level: 'silent' });

/** A database whose consumers record their effects in table `effects`. */
export async function eventDatabase(t: Test) {
  const { db, url } = await createTestDatabase(t);
  await db.raw(
    'CREATE TABLE effects (id bigint GENERATED ALWAYS AS IDENTITY, consumer text, event text, subject text, n int)',
  );
  return { db, url };
}

export const happens = (trx: Knex, subject: string, n = 0) =>
  publish(trx, {
    kind: 'monitor.paused',
    ownerId: 'u_1',
    isTest: false,
    subject,
    payload: { monitor: { id: subject, name: String(n), type: 'tcp', target: '' } },
  });

interface Recording {
  readonly before?: (subject: string, trx: Knex) => void | Promise<void>;
  readonly after?: (trx: Knex) => void | Promise<void>;
}

/**
 * Writes one effect for every event; an error of `before` fails the attempt, one of `after` fails it once the effect is
 * written.
 */
export function recording(name: string, { before = () => {}, after = () => {} }: Recording = {}) {
  return defineConsumer({
    name,
    kinds: ['monitor.paused'],
    async handle({ id: event, subject, payload }, { trx }) {
      await before(subject, trx);
      await trx('effects').insert({ consumer: name, event, subject, n: Number(payload.monitor.name) });
      await after(trx);
    },
  });
}

/** Records like `recording`, many events at a time. */
export function recordingSets(name: string, options: Recording = {}) {
  const { kinds, ...one } = recording(name, options);
  return defineConsumer({
    name,
    kinds,
    async handleAll(events, context) {
      if (new Set(events.map(({ subject }) => subject)).size < events.length)
        throw new Error('two events of one subject');
      for (const event of events) if ('handle' in one) await one.handle(event, context);
    },
  });
}

export function aReplica(db: Knex, ...consumers: readonly Consumer[]): Consumers {
  // tests say when an event is due again, by `everythingDue`
  return new Consumers({ db, consumers, clock: new FakeClock(), log: silent, firstWaitMs: 60_000 });
}

export const effectsOf = (db: Knex, consumer: string): Promise<string[]> =>
  db('effects').where({ consumer }).orderBy('id').pluck('subject');

export const everythingDue = (db: Knex) => db('outbox_marks').update({ due_at: db.raw("now() - interval '1 s'") });
