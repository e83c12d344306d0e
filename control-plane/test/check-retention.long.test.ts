import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t from 'tap';
import { checkDayClasses, dropPartitions, ensurePartitions } from '../src/db/partitions.js';
import { checkDaysOf, listChecks, storeChecks } from '../src/modules/monitors/checks/check-store.js';
import { findMonitor } from '../src/modules/monitors/definition/store.js';
import { rollups } from '../src/modules/monitors/history/rollups.js';
import { listMonitors } from '../src/modules/monitors/reading/list-store.js';
import { personalOwner } from '../src/owners/index.js';
import { parsePlans } from '../src/plans/index.js';
import { createTestDatabase } from './_support/database.js';
import { aCheck, insertMonitor, store } from './_support/stored-monitor.js';
import { insertNode, insertUser } from './_support/stored-node.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Names of the partitions that have rows, with their numbers of rows. */
async function partitions(db: Knex): Promise<Record<string, number>> {
  const { rows } = await db.raw(
    'SELECT tableoid::regclass::text AS name, count(*)::int AS count FROM monitor_checks GROUP BY 1 ORDER BY 1',
  );
  return Object.fromEntries(rows.map(({ name, count }: { name: string; count: number }) => [name, count]));
}

/** Partitions of the 90 days before now. */
async function withPast(db: Knex, nowMs: number): Promise<void> {
  for (let days = 90; days >= 0; days -= 7) await ensurePartitions(db, nowMs - days * DAY_MS);
}

/** Names of the partitions that the transaction has read from so far. */
async function partitionsLocked(trx: Knex): Promise<string[]> {
  const { rows } = await trx.raw(
    `SELECT DISTINCT c.relname FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
     WHERE l.pid = pg_backend_pid() AND c.relname ~ '^monitor_checks_\\w+_p\\d{8}$'`,
  );
  return rows.map(({ relname }: { relname: string }) => relname);
}

function ymd(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
}

t.test('a check is kept for the time in its owner’s plan at the moment it is stored', async (t) => {
  const { db } = await createTestDatabase(t);
  const node = await insertNode(db);
  const slot_ms = Date.now();
  for (const plan of ['free', 'pro', 'business', 'unlimited'])
    await store(db, [
      aCheck((await insertMonitor(db, [node], { owner_id: await insertUser(db, { plan }) })).id, node, { slot_ms }),
    ]);
  const day = ymd(slot_ms);
  const stored = {
    [`monitor_checks_30d_p${day}`]: 1,
    [`monitor_checks_7d_p${day}`]: 1,
    [`monitor_checks_90d_p${day}`]: 2,
  };
  t.strictSame(await partitions(db), stored);
  const { id, userId } = await insertMonitor(db, [node]);
  await store(db, [aCheck(id, node, { slot_ms })]);
  await db('owners').where({ id: userId }).update({ plan: 'pro' });
  await store(db, [aCheck(id, node, { slot_ms: slot_ms + 1 })]);
  t.match(await partitions(db), { [`monitor_checks_30d_p${day}`]: 2, [`monitor_checks_7d_p${day}`]: 2 });
  const page = {
    monitorKey: (await db('monitors').where({ id }).first()).key,
    fromMs: 0,
    toMs: slot_ms + 1,
    after: null,
  };
  t.equal((await listChecks(db, { ...page, limit: 10 })).length, 2, 'both are read');
});

t.test('plans may keep checks for the existing retention classes only', async (t) => {
  const { db } = await createTestDatabase(t);
  const node = await insertNode(db);
  const { id } = await insertMonitor(db, [node]);
  for (const check_days of checkDayClasses) {
    const keptFor = checkDaysOf(parsePlans({ free: { check_days } }));
    await storeChecks(db, [aCheck(id, node, { slot_ms: Date.now() })], keptFor);
  }
  t.strictSame(
    Object.keys(await partitions(db)).map((name) => name.replace(/_p.*/, '')),
    ['monitor_checks_30d', 'monitor_checks_365d', 'monitor_checks_7d', 'monitor_checks_90d'],
  );
  for (const check_days of [8, null, '7'])
    t.throws(() => parsePlans({ free: { check_days } }), /^free.check_days must be .*one of 7, 30, 90, 365/);
});

t.test('checks of a day are deleted by class as a whole when their time is over; other classes stay', async (t) => {
  const { db } = await createTestDatabase(t);
  const node = await insertNode(db);
  const slot_ms = Date.now();
  for (const plan of ['free', 'pro', 'business'])
    await store(db, [
      aCheck((await insertMonitor(db, [node], { owner_id: await insertUser(db, { plan }) })).id, node, { slot_ms }),
    ]);
  const dayEndsMs = (Math.floor(slot_ms / DAY_MS) + 1) * DAY_MS;
  const left = async (ms: number) => {
    await dropPartitions(db, ms);
    return Object.keys(await partitions(db)).map((name) => name.replace(/_p.*/, ''));
  };
  t.strictSame(await left(dayEndsMs + 7 * DAY_MS - 1), [
    'monitor_checks_30d',
    'monitor_checks_7d',
    'monitor_checks_90d',
  ]);
  t.strictSame(await left(dayEndsMs + 7 * DAY_MS), ['monitor_checks_30d', 'monitor_checks_90d']);
  t.strictSame(await left(dayEndsMs + 30 * DAY_MS), ['monitor_checks_90d']);
  t.strictSame(await left(dayEndsMs + 90 * DAY_MS), []);
});

t.test('a page of checks reaches back as far as checks are kept', async (t) => {
  const { db } = await createTestDatabase(t);
  const node = await insertNode(db);
  const { id, key } = await insertMonitor(db, [node], { owner_id: await insertUser(db, { plan: 'business' }) });
  const nowMs = Date.now();
  await withPast(db, nowMs);
  const ages = [0.5, 1, 3, 8, 9, 20, 49, 51, 80, 89];
  await store(
    db,
    ages.map((days) => aCheck(id, node, { slot_ms: Math.floor(nowMs - days * DAY_MS) })),
  );
  const page = { monitorKey: key, fromMs: 0, toMs: nowMs, after: null };
  const daysOf = (rows: readonly { at: Date }[]) =>
    rows.map(({ at }) => Math.round((nowMs - at.getTime()) / HOUR_MS) / 24);
  t.strictSame(daysOf(await listChecks(db, { ...page, limit: 100 })), ages);
  t.strictSame(daysOf(await listChecks(db, { ...page, limit: 4 })), ages.slice(0, 4));
  const after = { atMs: Math.floor(nowMs - 8 * DAY_MS), nodeId: node };
  t.strictSame(daysOf(await listChecks(db, { ...page, after, limit: 3 })), [9, 20, 49]);
  t.strictSame(daysOf(await listChecks(db, { ...page, fromMs: nowMs - 10 * DAY_MS, limit: 100 })), [0.5, 1, 3, 8, 9]);
});

t.test('the list of monitors reads two days of checks, however many days exist', async (t) => {
  const { db } = await createTestDatabase(t);
  const nowMs = Date.now();
  await withPast(db, nowMs);
  const { userId } = await insertMonitor(db, []);
  const owner = personalOwner(userId);
  const read = { owner, nowMs };
  const locked = await db.transaction(async (trx) => {
    // more often than PostgreSQL makes a plan for the values of each call
    for (let call = 0; call < 7; call++) {
      await listMonitors(trx, {
        ...read,
        filter: {},
        order: '-created_at',
        limit: 100,
        offset: 0,
        uptimeOf: { fromMs: 0, toMs: nowMs },
      });
      await findMonitor(trx, { ...read, id: 'mon_none' });
    }
    return partitionsLocked(trx);
  });
  t.not(locked.length, 0);
  t.ok(locked.length <= 2 * checkDayClasses.length, `${locked.length} partitions`);
});

t.test('the time of a monitor’s last check is known even if it is long ago', async (t) => {
  const { db } = await createTestDatabase(t);
  const nowMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const clock = new FakeClock(nowMs);
  await ensurePartitions(db, nowMs);
  const node = await insertNode(db);
  const monitors = [];
  for (const name of ['never', 'now', 'yesterday', 'in time', 'late'])
    monitors.push(await insertMonitor(db, [node], { name }));
  const [never, now, yesterday, inTime, late] = monitors;
  const replica = rollups({ db, clock, log: pino({ level: 'silent' }) });
  await store(db, [
    aCheck(inTime?.id ?? '', node, { slot_ms: nowMs + 70_001 }),
    aCheck(inTime?.id ?? '', node, { slot_ms: nowMs + 10_000 }),
  ]);
  clock.advance(HOUR_MS);
  await replica.run();
  await store(db, [aCheck(late?.id ?? '', node, { slot_ms: nowMs - DAY_MS + 1 })]);
  clock.advance(2 * DAY_MS);
  await replica.run();
  const yesterdayMs = clock.now() - 20 * HOUR_MS;
  await store(db, [
    aCheck(now?.id ?? '', node, { slot_ms: clock.now() }),
    aCheck(now?.id ?? '', node, { slot_ms: yesterdayMs }),
    aCheck(yesterday?.id ?? '', node, { slot_ms: yesterdayMs }),
    aCheck(yesterday?.id ?? '', node, { slot_ms: yesterdayMs - HOUR_MS }),
  ]);
  const lastCheck = async (one: typeof never) => {
    const found = await findMonitor(db, {
      id: one?.id ?? '',
      owner: personalOwner(one?.userId ?? ''),
      nowMs: clock.now(),
    });
    return found?.last_check_at?.getTime() ?? null;
  };
  t.equal(await lastCheck(never), null);
  t.equal(await lastCheck(now), clock.now());
  t.equal(await lastCheck(yesterday), yesterdayMs);
  t.equal(await lastCheck(inTime), nowMs + 70_001);
  t.equal(await lastCheck(late), nowMs - DAY_MS + 1);
});
