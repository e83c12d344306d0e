import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { DatabaseBusyError, openDatabase } from '../src/db/database.js';
import { isUnavailable } from '../src/db/unavailable.js';
import { createTestDatabase } from './_support/database.js';

/** On a busy machine, those that wait their turn may wait for long. */
const PATIENCE_MS = 120_000;

/** A pool whose only connection is in use, while `waiting` others wait for it. */
async function busyDatabase(t: Test, waiting: number) {
  const { url } = await createTestDatabase(t, { migrate: false });
  const db = openDatabase({ url, poolSize: 1, maxWaiting: 2, acquireTimeoutMs: PATIENCE_MS, applicationName: 'test' });
  t.teardown(() => db.destroy());
  const holder = await db.transaction();
  await holder.raw('select 1');
  const waiters = Array.from({ length: waiting }, (_, index) => answerOf(db, index + 1));
  await until('them to wait', () => db.client.pool.numPendingAcquires() === waiting);
  return { db, holder, waiters };
}

async function answerOf(db: Knex, number: number): Promise<number> {
  return (await db.raw('select ?::int as number', [number])).rows[0].number;
}

async function errorOf(query: Promise<unknown>): Promise<unknown> {
  return query.then(
    () => null,
    (error: unknown) => error,
  );
}

t.test(
  'a caller beyond the limit of waiting callers is refused at once, as if the database were unavailable',
  async (t) => {
    const { db, holder, waiters } = await busyDatabase(t, 2);
    const refused = {
      query: () => answerOf(db, 3),
      builder: async () => db.select(db.raw('1')),
      transaction: () => db.transaction(async (trx) => answerOf(trx, 3)),
    };
    for (const [kind, ask] of Object.entries(refused)) {
      // the connection is released only below: a caller that waited would get another error, and later
      const error = await errorOf(ask());
      t.type(error, DatabaseBusyError, kind);
      t.equal(isUnavailable(error), true, kind);
    }
    t.equal(db.client.pool.numPendingAcquires(), 2, 'a refused caller does not wait');
    await holder.commit();
    t.same(await Promise.all(waiters), [1, 2], 'those ahead of it are served');
    t.equal(await answerOf(db, 4), 4, 'and so is a later caller');
  },
);

t.test('a caller that already has a connection is not counted as waiting', async (t) => {
  const { holder, waiters } = await busyDatabase(t, 2);
  t.equal(await answerOf(holder, 3), 3);
  t.equal(await holder.transaction(async (savepoint) => answerOf(savepoint, 4)), 4);
  await holder.commit();
  t.same(await Promise.all(waiters), [1, 2]);
});

t.test('a closed pool reports that it is closed', async (t) => {
  const { db, holder } = await busyDatabase(t, 0);
  await holder.commit();
  await db.destroy();
  t.match(await errorOf(answerOf(db, 1)), { message: /Unable to acquire a connection/ });
});

t.test('without a limit any number may wait', async (t) => {
  const { url } = await createTestDatabase(t, { migrate: false });
  const db = openDatabase({ url, poolSize: 1, acquireTimeoutMs: PATIENCE_MS, applicationName: 'test' });
  t.teardown(() => db.destroy());
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  t.same(await Promise.all(numbers.map((number) => answerOf(db, number))), numbers);
});
