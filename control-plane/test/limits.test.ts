import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { openPool } from '../src/db/storage.js';
import type { Allowance } from '../src/http/allowance.js';
import type { Limit } from '../src/http/rate-limit.js';
import { deleteEndedWindows, SharedWindows, WindowLimiter } from '../src/limits/index.js';
import { takeFromWindows } from '../src/limits/store.js';
import type { Ask } from '../src/limits/tally.js';
import { createReusedDatabase } from './_support/database.js';
import { lockWaits } from './_support/lock-waits.js';
import { WindowTable } from './_support/window-table.js';
import { within } from './_support/within.js';

const fresh = await createReusedDatabase(t);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const minute = (limit: number, key = 'requests:u_1'): Limit => ({ key, limit, windowMs: MINUTE_MS });

/** A limiter with a pool of its own, as every replica has one. */
function replica(t: Test, url: string, clock: FakeClock) {
  const db = openPool({ url, poolSize: 2, applicationName: 'limits' });
  const complaints: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(JSON.parse(line).err.message) });
  const metrics = {
    fallbacks: 0,
    countLimiterFallback() {
      this.fallbacks += 1;
    },
  };
  const windows = new SharedWindows({ db, hasOthers: () => true, clock, log, metrics });
  t.teardown(async () => {
    await windows.drain();
    await db.destroy();
  });
  return { db, windows, limiter: new WindowLimiter(windows, clock), complaints, metrics };
}

const allowed = (answers: readonly Allowance[]) => answers.filter(({ isAllowed }) => isAllowed).length;
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const usedOf = async (db: Knex, key: string) => (await db('rate_windows').where({ key }).pluck('used'))[0];

t.test('the statement takes what the table allows, for any batch of requests in any order of windows', async () => {
  const { db } = await fresh();
  const ask = fc.record({
    key: fc.constantFrom('a', 'b', 'ä', 'Z'),
    minute: fc.integer({ min: 0, max: 4 }),
    most: fc.integer({ min: 0, max: 20 }),
    size: fc.integer({ min: 1, max: 5 }),
    count: fc.integer({ min: 0, max: 8 }),
    owed: fc.oneof(fc.constant(0), fc.integer({ min: -10, max: 10 })),
  });
  const batches = fc.array(fc.uniqueArray(ask, { selector: ({ key }) => key, minLength: 1 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      await db('rate_windows').delete();
      const table = new WindowTable();
      for (const batch of all) {
        const asks: Ask[] = batch.map(({ minute, ...rest }) => {
          const startsAt = Date.UTC(2026, 0, 1) + minute * MINUTE_MS;
          return { ...rest, startsAt, endsAt: startsAt + MINUTE_MS };
        });
        const expected = asks.map((each) => table.take(each));
        const taken = await takeFromWindows(db, asks, new AbortController().signal);
        if (JSON.stringify(taken.map(inOrder)) !== JSON.stringify(expected.map(inOrder))) {
          throw new Error(`${JSON.stringify(taken)} instead of ${JSON.stringify(expected)}`);
        }
      }
    }),
    { numRuns: 40 },
  );
});

const inOrder = ({ startsAt, endsAt, used, granted }: ReturnType<WindowTable['take']>) => [
  startsAt,
  endsAt,
  used,
  granted,
];

t.test('of simultaneous requests two replicas allow exactly the limit', async (t) => {
  const { url, db } = await fresh();
  const clock = new FakeClock();
  const replicas = times(2, () => replica(t, url, clock).limiter);
  const ask = (limit: Limit, count: number, cost = 1) =>
    Promise.all(times(count, (index) => (replicas[index % 2] as WindowLimiter).consume(limit, cost)));

  t.equal(allowed(await ask(minute(25), 60)), 25);
  t.equal(await usedOf(db, 'requests:u_1'), 25);
  t.equal(allowed(await ask({ key: 'node-tests:u_1', limit: 250, windowMs: DAY_MS }, 100, 7)), 35, 'all or nothing');
  t.equal(await usedOf(db, 'node-tests:u_1'), 245);
  clock.advance(MINUTE_MS);
  t.equal(allowed(await ask(minute(25), 60)), 25, 'and again in the next minute');
});

t.test('simultaneous requests of many callers are all counted by both replicas', async (t) => {
  const { url } = await fresh();
  const clock = new FakeClock();
  const [one, other] = times(2, () => replica(t, url, clock));
  const limits = times(150, (index) => minute(5, `requests:${index}`));
  const answers = await Promise.all([
    ...limits.flatMap((limit) => times(3, () => one?.limiter.consume(limit))),
    ...limits.toReversed().flatMap((limit) => times(3, () => other?.limiter.consume(limit))),
  ]);
  t.equal(allowed(answers as Allowance[]), 750);
  t.equal((one?.metrics.fallbacks ?? 0) + (other?.metrics.fallbacks ?? 0), 0);
});

t.test('statements that take from the same windows in different orders do not block one another', async (t) => {
  const { db } = await fresh();
  const ask = { startsAt: 0, endsAt: MINUTE_MS, most: 1_000, size: 1, count: 1, owed: 0 };
  const asks: Ask[] = times(300, (index) => ({ ...ask, key: `requests:${index}` }));
  const take = (ordered: readonly Ask[]) => takeFromWindows(db, ordered, new AbortController().signal);
  for (let round = 1; round <= 10; round += 1) {
    const [last] = (await Promise.all([take(asks), take(asks.toReversed()), take(asks)])).flat();
    t.ok(last !== undefined && last.used > 3 * (round - 1) && last.used <= 3 * round);
  }
});

t.test('requests for one key in one batch each get what the previous one left', async (t) => {
  const { url } = await fresh();
  const { windows } = replica(t, url, new FakeClock());
  const ask = (key: string): Ask => ({ key, startsAt: 0, endsAt: MINUTE_MS, most: 5, size: 2, count: 1, owed: 0 });
  const answers = await Promise.all(['first', 'a', 'a', 'b', 'a'].map((key) => windows.take(ask(key))));
  t.match(answers, [{ used: 2 }, { used: 2 }, { used: 4 }, { used: 2 }, { used: 4, granted: 0 }]);
});

t.test('a returned grant is available on every replica', async (t) => {
  const { url, db } = await fresh();
  const clock = new FakeClock();
  const [one, other] = times(2, () => replica(t, url, clock).limiter) as [WindowLimiter, WindowLimiter];
  const limit = minute(5);
  const taken = await one.consume(limit, 4);
  await one.refund(limit, 4, taken);
  t.equal(await usedOf(db, limit.key), 0);
  t.match(await other.consume(limit, 5), { isAllowed: true, remaining: 0 });
  t.match(await one.consume(limit, 1), { isAllowed: false, remaining: 0 });
});

/** Locks the row of a key until the returned function is called. */
async function lockRow(db: Knex, key: string): Promise<() => Promise<void>> {
  const trx = await db.transaction();
  await trx.raw('SELECT 1 FROM rate_windows WHERE key = ? FOR UPDATE', [key]);
  return async () => void (await trx.rollback());
}

t.test('a limiter waits at most 250 ms for a store, and reports to it later what was allowed', async (t) => {
  const { url, db } = await fresh();
  const clock = new FakeClock();
  const [{ limiter, complaints, metrics }, other] = [replica(t, url, clock), replica(t, url, clock)];
  const limit = minute(10);
  await limiter.consume(limit);
  const release = await lockRow(db, limit.key);
  const isBlocked = async () => (await lockWaits(db)) > 0;

  const waiting = Promise.all(times(3, () => limiter.consume(limit)));
  await until('the statement to wait', isBlocked);
  const behind = limiter.consume(minute(10, 'requests:u_2'));
  clock.advance(249);
  t.equal(clock.pendingTimers, 1, 'not yet');
  clock.advance(1);
  t.same(
    (await within('the responses', waiting)).map(({ remaining }) => remaining),
    [8, 7, 6],
    'it continues with its last count',
  );
  t.equal((await within('the response', behind)).remaining, 9, 'a request queued behind it does not wait again');
  t.equal(clock.pendingTimers, 0);
  const more = limiter.consume(limit, 2);
  t.equal((await within('the response', more)).remaining, 4, 'no request waits for it now');
  t.match(complaints, [/within 250 ms/], 'reported once');
  t.equal(metrics.fallbacks, 4, 'and counted: for the first, those of the same key, the other key, and the last');

  // as statement_timeout does, but not while the machine is only slow
  await db.raw(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  await until('the statement to be given up', async () => !(await isBlocked()));
  await release();
  clock.advance(1_000);
  t.equal((await limiter.consume(limit)).remaining, 3);
  t.equal((await other.limiter.consume(limit)).remaining, 2, 'and so do the others');
});

t.test(
  'without a database each replica allows the limit, logs a warning once a minute, and recovers by itself',
  async (t) => {
    const { url, db } = await fresh();
    const clock = new FakeClock();
    const { limiter, complaints, metrics } = replica(t, url, clock);
    const bring = await takeAway(t, url, db);
    const limit = minute(3);
    const answers = [];
    for (let index = 0; index < 4; index += 1) answers.push(await limiter.consume(limit));
    t.same(
      answers.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
      [
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
      ],
    );
    t.ok(answers.every(({ resetsAt }) => resetsAt > clock.now() && resetsAt <= clock.now() + MINUTE_MS));
    t.equal(metrics.fallbacks, 3, 'a full window asks no store');
    clock.advance(59_999);
    await limiter.consume(minute(3, 'requests:nearly a minute later'));
    t.equal(complaints.length, 1);
    clock.advance(1_000);
    await limiter.consume(minute(3, 'requests:a minute later'));
    t.equal(complaints.length, 2);

    await bring();
    clock.advance(1_000);
    t.equal((await limiter.consume(limit)).isAllowed, true);
    t.equal(await usedOf(db, limit.key), 1);
  },
);

/** Ends every connection to a database and refuses new ones until the returned function is called. */
async function takeAway(t: Test, url: string, db: Knex): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  const elsewhere = new URL(url);
  elsewhere.pathname = '/postgres';
  const admin = openPool({ url: elsewhere.href, poolSize: 1, applicationName: 'test admin' });
  t.teardown(() => admin.destroy());
  await db.destroy();
  await admin.raw('ALTER DATABASE ?? ALLOW_CONNECTIONS false', [name]);
  await admin.raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?', [name]);
  return async () => {
    await admin.raw('ALTER DATABASE ?? ALLOW_CONNECTIONS true', [name]);
    db.initialize();
  };
}

t.test('windows that ended over an hour ago are deleted, without waiting for one that is in use', async (t) => {
  const { db } = await fresh();
  const now = Date.UTC(2026, 0, 1);
  const row = (key: string, endsAgoMs: number) => ({
    key,
    window_start: new Date(now - endsAgoMs - MINUTE_MS),
    window_end: new Date(now - endsAgoMs),
    used: 1,
    granted: 1,
  });
  await db('rate_windows').insert([row('old', 3_600_001), row('held', 3_600_001), row('young', 3_600_000)]);
  const release = await lockRow(db, 'held');
  await within('the end', deleteEndedWindows(db, now));
  await release();
  t.same(await db('rate_windows').orderBy('key').pluck('key'), ['held', 'young']);
});
