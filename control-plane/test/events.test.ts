import { setTimeout } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { openDatabase } from '../src/db/database.js';
import { Consumers, defineConsumer, EventPayloadError, publish, published } from '../src/events/index.js';
import { beginAttempts, type ClaimedEvent, claimEvents, deleteMarks, lockBegun } from '../src/events/store.js';
import { createTestDatabase } from './_support/database.js';
import { DeadlySteps } from './_support/deadly-steps.js';
import {
  aReplica,
  effectsOf,
  eventDatabase,
  everythingDue,
  happens,
  recording,
  recordingSets,
} from './_support/events.js';
import { keepEvents } from './_support/kept-events.js';

// random histories of consumers: event-histories.long.test.ts

/** Forms of consumers that keep the same promises. */
const forms = { 'one at a time': recording, 'many at a time': recordingSets };

const { db, url } = await eventDatabase(t);
const anHourAgo = db.raw("now() - interval '61 minutes'");

/** Forgets the events and consumers of earlier tests. */
async function empty(): Promise<void> {
  for (const table of ['outbox_marks', 'outbox', 'event_subscriptions', 'effects']) await db(table).delete();
}

for (const [how, form] of Object.entries(forms))
  t.test(`an event that commits after later ones were handled is handled nevertheless: ${how}`, async (t) => {
    await empty();
    const replica = aReplica(db, form('test.one'));
    await replica.start();
    t.teardown(() => replica.stop());
    const late = await db.transaction();
    await happens(late, 'm_late');
    await happens(db, 'm_early');
    await replica.run();
    t.same(await effectsOf(db, 'test.one'), ['m_early']);
    await late.commit();
    await replica.run();
    t.same(await effectsOf(db, 'test.one'), ['m_early', 'm_late']);
    t.same(await db('outbox_marks'), []);
  });

for (const [how, form] of Object.entries(forms))
  t.test(`events of one subject arrive in order, on two replicas at once and across failures: ${how}`, async (t) => {
    await empty();
    let attempts = 0;
    const shaky = form('test.one', {
      before: () => {
        attempts += 1;
        if (attempts % 7 === 0) throw new Error('the consumer fails');
      },
    });
    const replicas = [aReplica(db, shaky), aReplica(db, shaky)];
    for (const replica of replicas) await replica.start();
    t.teardown(() => Promise.all(replicas.map((replica) => replica.stop())));
    for (let n = 0; n < 30; n += 1) await happens(db, `m_${n % 3}`, n);
    await until('all effects', async () => {
      await everythingDue(db);
      await Promise.all(replicas.map((replica) => replica.run()));
      return (await db('outbox_marks')).length === 0;
    });
    for (const subject of ['m_0', 'm_1', 'm_2']) {
      const numbers: number[] = await db('effects').where({ subject }).orderBy('id').pluck('n');
      t.same(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
      t.equal(numbers.length, 10);
    }
  });

for (const [how, form] of Object.entries(forms))
  t.test(
    `an event that always fails is postponed, blocks only its own subject, and is finally set aside: ${how}`,
    async (t) => {
      await empty();
      const poisoned = form('test.poisoned', {
        before: (subject) => {
          if (subject === 'm_bad') throw new Error('poison');
        },
      });
      const replica = aReplica(db, poisoned, recording('test.other'));
      await replica.start();
      t.teardown(() => replica.stop());
      for (const subject of ['m_1', 'm_bad', 'm_2', 'm_bad', 'm_3']) await happens(db, subject);
      await replica.run();
      t.same(await effectsOf(db, 'test.poisoned'), ['m_1', 'm_2', 'm_3']);
      t.equal((await effectsOf(db, 'test.other')).length, 5, 'other consumers have all of it');
      const [first] = await db('outbox_marks').orderBy('event');
      t.match(first, { subject: 'm_bad', attempts: 1, dead_at: null });
      t.ok(first.due_at > new Date(), 'not again at once');
      for (let attempt = 0; attempt < 30; attempt += 1) {
        await everythingDue(db);
        await replica.run();
      }
      const dead = await db('outbox_marks');
      t.match(dead, [
        { subject: 'm_bad', attempts: 8, dead_at: Date, last_error: 'poison' },
        { subject: 'm_bad', attempts: 8, dead_at: Date, last_error: 'poison' },
      ]);
      await db('outbox').update({ created_at: anHourAgo });
      await replica.tidy();
      t.equal((await db('outbox')).length, 2, 'kept for an operator to repair');
      await db('outbox_marks').update({ dead_at: db.raw("now() - interval '31 days'") });
      await replica.tidy();
      t.same(await db('outbox'), []);
    },
  );

t.test(
  'a new consumer begins with events published after its start; one that is no longer declared ends after a week',
  async (t) => {
    await empty();
    await keepEvents(db);
    await happens(db, 'm_before');
    const replica = aReplica(db, recording('test.new'));
    await replica.start();
    t.teardown(() => replica.stop());
    await happens(db, 'm_after');
    await replica.run();
    t.same(await effectsOf(db, 'test.new'), ['m_after']);
    const others = db('event_subscriptions').where({ consumer: 'test.kept' });
    await others.clone().update({ announced_at: db.raw("now() - interval '6 days'") });
    await replica.tidy();
    t.equal((await db('outbox')).length, 2, 'a version that is rolled back finds them');
    await db('event_subscriptions').update({ announced_at: db.raw("now() - interval '8 days'") });
    await db('outbox').update({ created_at: anHourAgo });
    await replica.tidy();
    t.same(await db('outbox'), [], 'events without a consumer are not kept');
    t.same(await db('event_subscriptions').distinct('consumer').pluck('consumer'), ['test.new']);
  },
);

t.test('an event stays for an hour, even without a consumer', async (t) => {
  await empty();
  await happens(db, 'm_1');
  await aReplica(db).tidy();
  t.equal((await db('outbox')).length, 1);
  await db('outbox').update({ created_at: anHourAgo });
  await aReplica(db).tidy();
  t.same(await db('outbox'), []);
});

t.test('a kind that this version does not know is left to a version that does', async (t) => {
  await empty();
  const old = aReplica(db, recording('test.one'));
  await old.start();
  t.teardown(() => old.stop());
  await db('event_subscriptions').insert({ consumer: 'test.one', kind: 'monitor.invented', announced_at: new Date() });
  await db.raw(`WITH e AS (INSERT INTO outbox (event_id, kind, owner_id, is_test, subject, payload)
    VALUES ('evt_1', 'monitor.invented', 'u_1', false, 'm_1', '{}') RETURNING id)
    INSERT INTO outbox_marks (consumer, subject, event) SELECT 'test.one', 'm_1', id FROM e`);
  await old.run();
  t.match(await db('outbox_marks'), [{ attempts: 0, dead_at: null }]);
});

const deadly = await DeadlySteps.prepare(db, ['effects']);
for (const [how, form] of Object.entries(forms))
  t.test(`a replica that dies while it handles an event leaves it to another, with one effect: ${how}`, async (t) => {
    await empty();
    const replica = aReplica(db, form('test.one'));
    await replica.start();
    t.teardown(() => replica.stop());
    await happens(db, 'm_1');
    await deadly.arm('effects');
    await replica.run().catch(() => {});
    await deadly.waitForDeath();
    await deadly.disarm();
    await until('the effect', async () => {
      await everythingDue(db);
      await aReplica(db, form('test.one')).run();
      return (await effectsOf(db, 'test.one')).length > 0;
    });
    await everythingDue(db);
    await replica.run();
    t.same(await effectsOf(db, 'test.one'), ['m_1']);
  });

/**
 * Runs consumers in what stands for a process of its own, which event `m_bad` kills: its connection is lost and its
 * handler never returns.
 */
async function livesOn(
  t: Test,
  { form, meanwhile = async () => {} }: { form: typeof recording; meanwhile?: () => Promise<void> },
): Promise<boolean> {
  const own = openDatabase({ url, poolSize: 1, applicationName: 'replica' });
  let die = () => {};
  const death = new Promise<false>((resolve) => {
    die = () => resolve(false);
  });
  let end = () => {};
  const theEnd = new Promise<void>((resolve) => {
    end = resolve;
  });
  const before = async (subject: string, trx: Knex) => {
    if (subject !== 'm_bad') return;
    await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    die();
    await theEnd;
  };
  const replica = aReplica(own, form('test.one', { before }));
  const life = (async () => {
    await replica.run();
    await meanwhile();
    await replica.run();
    return true;
  })();
  t.teardown(async () => {
    end();
    await life.catch(() => {});
    await own.destroy();
  });
  return Promise.race([life, death]);
}

for (const [how, form] of Object.entries(forms))
  t.test(
    `an event that always kills its process is put off, holds up no other, and is set aside: ${how}`,
    async (t) => {
      await empty();
      await aReplica(db, form('test.one')).tidy();
      const publishing = async () => {
        for (const subject of ['m_1', 'm_bad', 'm_2']) await happens(db, subject);
      };
      t.notOk(await livesOn(t, { form, meanwhile: publishing }), 'a process that was already running dies');
      for (let death = 1; death <= 8; death += 1) {
        await everythingDue(db);
        t.notOk(await livesOn(t, { form }), `process ${death} that is started dies`);
        t.match(await db('outbox_marks').where({ subject: 'm_bad' }), [{ attempts: death, dead_at: null }]);
        await everythingDue(db).whereNot({ subject: 'm_bad' });
        t.ok(await livesOn(t, { form }), 'the next process leaves it alone for a while');
        t.same((await effectsOf(db, 'test.one')).sort(), ['m_1', 'm_2'], 'all others are handled');
      }
      await everythingDue(db);
      t.ok(await livesOn(t, { form }));
      t.match(await db('outbox_marks'), [{ attempts: 8, dead_at: Date, last_error: /process ended/ }]);
    },
  );

t.test('an attempt is not counted beforehand once a process has handled what it found at its start', async (t) => {
  await empty();
  const replica = aReplica(db, recording('test.one'));
  await replica.tidy();
  await replica.run();
  await happens(db, 'm_1');
  const statements: string[] = [];
  db.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  await replica.run();
  t.equal(statements.filter((sql) => /^(update|insert)/i.test(sql)).length, 1, 'the effect alone');
  t.same(await effectsOf(db, 'test.one'), ['m_1']);
});

t.test('a storm of events is handled by the thousand, and the one that fails is found by halves', async (t) => {
  const { db } = await createTestDatabase(t);
  const sizes: number[] = [];
  const replica = aReplica(
    db,
    defineConsumer({
      name: 'test.storm',
      kinds: ['monitor.paused'],
      async handleAll(events) {
        sizes.push(events.length);
        if (events.some(({ subject }) => subject === 'm_1500')) throw new Error('poison');
      },
    }),
  );
  await replica.start();
  t.teardown(() => replica.stop());
  await db.transaction(async (trx) => {
    for (let n = 0; n < 2_500; n += 1) await happens(trx, `m_${n}`);
  });
  await replica.run();
  t.same(sizes.slice(0, 3), [1_000, 1_000, 500]);
  t.ok(sizes.length < 25, `${sizes.length} calls`);
  t.match(await db('outbox_marks'), [{ subject: 'm_1500', attempts: 1 }]);
});

t.test('a consumer that is busy does not delay others', async (t) => {
  await empty();
  let other = () => {};
  const otherIsDone = new Promise<void>((resolve) => {
    other = resolve;
  });
  const busy = defineConsumer({ name: 'test.busy', kinds: ['monitor.paused'], handle: () => otherIsDone });
  const quick = defineConsumer({ name: 'test.quick', kinds: ['monitor.resumed'], handle: async () => other() });
  const replica = aReplica(db, busy, quick);
  await replica.start();
  t.teardown(() => replica.stop());
  await db.transaction(async (trx) => {
    for (let n = 0; n < 150; n += 1) await happens(trx, `m_${n}`);
    const payload = { monitor: { id: 'm_x', name: '', type: 'tcp', target: '' } };
    await publish(trx, { kind: 'monitor.resumed', ownerId: 'u_1', isTest: false, subject: 'm_x', payload });
  });
  await t.resolves(replica.run());
  t.same(await db('outbox_marks'), []);
});

t.test('a payload that does not match its kind is refused, and so are two consumers of one name', async (t) => {
  await empty();
  const event = {
    kind: 'monitor.paused',
    ownerId: 'u_1',
    isTest: false,
    subject: 'm_1',
    payload: { monitor: 1 },
  } as const;
  await t.rejects(publish(db, event as never), EventPayloadError);
  t.same(await db('outbox'), []);
  t.throws(() => aReplica(db, recording('test.one'), recording('test.one')), RangeError);
});

t.test(
  'consumers look as soon as a transaction that published has committed, and not if it is rolled back',
  async (t) => {
    await empty();
    // its clock stands still: no poll ever comes
    const replica = aReplica(db, recording('test.one'));
    const kinds: string[] = [];
    published.listen(db, (of) => {
      kinds.push(...of.kinds);
      replica.look();
    });
    await replica.start();
    t.teardown(() => replica.stop());
    const undone = db.transaction(async (trx) => {
      await happens(trx, 'm_undone');
      throw new Error('undone');
    });
    await t.rejects(undone, /undone/);
    const trx = await db.transaction();
    await happens(trx, 'm_1');
    t.same(kinds, [], 'not before the commit');
    await trx.commit();
    await until('the effect', async () => (await effectsOf(db, 'test.one')).length === 1);
    t.same(await effectsOf(db, 'test.one'), ['m_1']);
    t.same(kinds, ['monitor.paused']);
  },
);

t.test('consumers poll for events every second', async (t) => {
  await empty();
  const clock = new FakeClock();
  const replica = new Consumers({ db, consumers: [recording('test.one')], clock, log: pino({ level: 'silent' }) });
  await replica.start();
  await happens(db, 'm_1');
  clock.advance(1_000);
  await until('the effect', async () => (await effectsOf(db, 'test.one')).length === 1);
  await replica.stop();
  await happens(db, 'm_2');
  clock.advance(10_000);
  await setTimeout(20);
  t.equal(clock.pendingTimers, 0);
});

/** Three thousand events that wait, in tables that were never analyzed. */
async function manyWaiting(t: Test) {
  const { db } = await createTestDatabase(t);
  const waiting = 3_000;
  await db.raw(
    `WITH published AS (
       INSERT INTO outbox (event_id, kind, owner_id, is_test, subject, payload)
       SELECT 'evt_' || n, 'monitor.paused', 'u_1', false, 'm_' || n, '{}' FROM generate_series(1, ?::int) n RETURNING id, subject
     ) INSERT INTO outbox_marks (consumer, subject, event) SELECT 'test.claims', subject, id FROM published`,
    [waiting],
  );
  return { db, waiting };
}

t.test(
  'a claim reads few rows for each event, however many wait, even before the table was ever analyzed',
  async (t) => {
    const { db, waiting } = await manyWaiting(t);
    const limit = 100;
    await db.transaction(async (trx) => {
      const claimed = await claimEvents(trx, 'test.claims', { kinds: ['monitor.paused'], limit, among: null });
      t.equal(claimed.length, limit);
      const { rows } = await trx.raw<{ rows: { read: number }[] }>(
        `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables
       WHERE relname IN ('outbox', 'outbox_marks')`,
      );
      // all of the queue may be read, but not all of it for each event
      t.ok((rows[0]?.read ?? 0) < 10 * waiting, `${rows[0]?.read} rows were read`);
    });
  },
);

t.test('locking, beginning and ending a thousand of many events that wait compares each with few others', async (t) => {
  const { db, waiting } = await manyWaiting(t);
  const claim = { kinds: ['monitor.paused'], limit: 1_000, among: null };
  const claimed = await db.transaction((trx) => claimEvents(trx, 'test.claims', claim));
  const steps: Record<string, (trx: Knex, claimed: readonly ClaimedEvent[]) => Promise<unknown>> = {
    begin: (trx) =>
      beginAttempts(
        trx,
        'test.claims',
        claimed.map((one) => ({ ...one, waitMs: 1 })),
      ),
    lock: (trx) => lockBegun(trx, 'test.claims', claimed),
    end: (trx) =>
      deleteMarks(
        trx,
        'test.claims',
        claimed.map(({ event }) => event),
      ),
  };
  for (const [step, take] of Object.entries(steps)) {
    const rows = await db.transaction(async (trx) => {
      // as if the planner took the tables for empty, which they are nearly always
      await trx.raw('SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off');
      return rowsTouched(trx, (explaining) => take(explaining, claimed));
    });
    t.ok(rows >= claimed.length && rows < 10 * waiting, `${step}: ${rows} rows`);
  }
});

/** Rows that the nodes of the plan of one statement produced or rejected. */
async function rowsTouched(trx: Knex, take: (explaining: Knex) => Promise<unknown>): Promise<number> {
  let touched = 0;
  const raw = async (sql: string, values: never[]) => {
    const { rows } = await trx.raw(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values);
    touched = rowsOf(rows[0]['QUERY PLAN'][0].Plan);
    return { rows: [] };
  };
  await take({ raw } as never);
  return touched;
}

function rowsOf({
  Plans = [],
  ...node
}: {
  readonly Plans?: readonly never[];
  readonly [name: string]: unknown;
}): number {
  const names = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Join Filter'];
  const own = names.reduce((sum, name) => sum + Number(node[name] ?? 0), 0) * Number(node['Actual Loops']);
  return Plans.reduce<number>((sum, plan) => sum + rowsOf(plan), own);
}
