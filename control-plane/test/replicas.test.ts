import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { BusMessage } from '../src/bus/bus.js';
import { ReplicaLease } from '../src/replicas/replica-lease.js';
import { replicaStore } from '../src/replicas/store.js';
import { createTestDatabase } from './_support/database.js';
import { lastingLeases } from './_support/lasting-lease.js';
import { insertNode } from './_support/stored-node.js';

function lease(
  t: Test,
  db: Knex,
  replicaId: string,
  { isAlone = false, url = null }: { isAlone?: boolean; url?: string | null } = {},
) {
  const clock = new FakeClock();
  const unlinked: string[] = [];
  const made = new ReplicaLease({
    store: replicaStore(db),
    replicaId,
    url,
    allowTargets: ['10.0.0.0/8'],
    isAlone,
    graceMs: 15_000,
    clock,
    log: pino({ level: 'silent' }),
    onUnlinked: async (ids) => void unlinked.push(...ids),
  });
  t.teardown(() => made.stop());
  return { lease: made, clock, unlinked };
}

const replicas = (db: Knex) => db('replicas').orderBy('id').pluck('id');
const heardBefore = (db: Knex, seconds: number) => db.raw(`now() - ? * interval '1 second'`, [seconds]);

t.test('a replica registers, and unregisters when it stops', async (t) => {
  const { db } = await createTestDatabase(t);
  const { lease: a } = lease(t, db, 'rep_a');
  await a.start();
  t.strictSame(await replicas(db), ['rep_a']);
  t.equal(a.hasOthers, false);
  await a.stop();
  await a.stop();
  t.strictSame(await replicas(db), []);
});

t.test('a replica renews its lease every two seconds, and sees the live replicas', async (t) => {
  const { db } = await createTestDatabase(t);
  const { lease: a, clock } = lease(t, db, 'rep_a');
  await a.start();
  // this one is not dead, however long the other takes to start
  await db('replicas').update({ heartbeat_at: heardBefore(db, -3_600) });
  const { lease: b } = lease(t, db, 'rep_b');
  await b.start();
  t.equal(b.hasOthers, true);
  t.equal(a.hasOthers, false, 'not reported yet');
  await db('replicas').update({ heartbeat_at: heardBefore(db, 1) });
  const [before] = await db('replicas').where({ id: 'rep_a' }).pluck('heartbeat_at');
  clock.advance(2_000);
  await until(
    'the heartbeat',
    async () => (await db('replicas').where({ id: 'rep_a' }).pluck('heartbeat_at'))[0] > before,
  );
  await until('the other one to be seen', () => a.hasOthers);
  await b.stop();
  await until('the next heartbeat to be waited for', () => clock.pendingTimers === 1);
  clock.advance(2_000);
  await until('the other one to be gone', () => !a.hasOthers);
});

t.test('an announced replica is known at once', async (t) => {
  const { db } = await createTestDatabase(t);
  const { lease: a } = lease(t, db, 'rep_a');
  await a.start();
  const listeners: ((message: BusMessage) => void)[] = [];
  const said: BusMessage[] = [];
  a.announce({
    onMessage: (listener) => void listeners.push(listener),
    broadcast: (message) => void said.push(message),
  });
  t.strictSame(said, [{ type: 'replicas', ids: ['rep_a'] }]);
  for (const listener of listeners) listener({ type: 'finished', ids: ['pt_1'] });
  t.equal(a.hasOthers, false);
  for (const listener of listeners) listener({ type: 'replicas', ids: ['rep_b'] });
  t.equal(a.hasOthers, true);
});

t.test(
  'a replica without a heartbeat for ten seconds is dead: its nodes are unlinked and their tasks get their grace',
  async (t) => {
    const { db } = await createTestDatabase(t);
    const dead = await insertNode(db, { session_id: 'ses_1', replica_id: 'rep_dead' });
    const forgotten = await insertNode(db, { session_id: 'ses_2', replica_id: 'rep_nobody_knows' });
    const slow = await insertNode(db, { session_id: 'ses_3', replica_id: 'rep_slow' });
    const offline = await insertNode(db);
    const { lease: a, unlinked } = lease(t, db, 'rep_a');
    // last, because this one gets older from here on
    await db('replicas').insert([
      { id: 'rep_dead', heartbeat_at: heardBefore(db, 10.5) },
      { id: 'rep_slow', heartbeat_at: heardBefore(db, 1) },
    ]);
    await a.start();
    t.strictSame(await replicas(db), ['rep_a', 'rep_slow']);
    t.strictSame(new Set(unlinked), new Set([dead, forgotten]));
    const rows = await db('nodes').select(
      'id',
      'session_id',
      db.raw('round(extract(epoch FROM lost_after - updated_at)) AS grace'),
    );
    const states = Object.fromEntries(rows.map(({ id, session_id, grace }) => [id, [session_id, Number(grace ?? -1)]]));
    t.strictSame(states, {
      [dead]: [null, 15],
      [forgotten]: [null, 15],
      [slow]: ['ses_3', -1],
      [offline]: [null, -1],
    });
  },
);

t.test('after a database outage no replica is declared dead before it could register again', async (t) => {
  const { db } = await createTestDatabase(t);
  const { lease: a, clock, unlinked } = lease(t, db, 'rep_a');
  await a.start();
  await db('replicas').insert({ id: 'rep_b' });
  const node = await insertNode(db, { session_id: 'ses_1', replica_id: 'rep_b' });
  const nextBeat = async () => {
    clock.advance(2_000);
    await until('the next heartbeat to be waited for', () => clock.pendingTimers === 1);
  };
  await db.raw('ALTER TABLE replicas RENAME TO replicas_away');
  for (let second = 0; second < 12; second += 2) await nextBeat();
  await db.raw('ALTER TABLE replicas_away RENAME TO replicas');
  await db('replicas').update({ heartbeat_at: heardBefore(db, 12) });
  for (let second = 0; second < 10; second += 2) await nextBeat();
  t.strictSame([await replicas(db), unlinked], [['rep_a', 'rep_b'], []]);
  await nextBeat();
  t.strictSame([await replicas(db), unlinked], [['rep_a'], [node]], 'but one that does not within ten seconds is');
});

t.test('a replica knows the addresses of the others, and names none that is about to stop', async (t) => {
  const { db } = await createTestDatabase(t);
  await lastingLeases(db);
  const { lease: a } = lease(t, db, 'rep_a', { url: 'https://a.example' });
  const { lease: b } = lease(t, db, 'rep_b', { url: 'https://b.example' });
  const { lease: c } = lease(t, db, 'rep_c');
  for (const one of [a, b, c]) await one.start();
  t.strictSame(c.urlsOfOthers.sort(), ['https://a.example', 'https://b.example']);
  await b.leave();
  t.strictSame(b.urlsOfOthers, ['https://a.example']);
  await c.leave();
  t.strictSame(c.urlsOfOthers, ['https://a.example']);
});

t.test('the owner of a database knows that every other replica in it is dead', async (t) => {
  const { db } = await createTestDatabase(t);
  await db('replicas').insert({ id: 'rep_before' });
  const node = await insertNode(db, { session_id: 'ses_1', replica_id: 'rep_before' });
  const { lease: a, unlinked } = lease(t, db, 'rep_a', { isAlone: true });
  await a.start();
  t.strictSame(await replicas(db), ['rep_a']);
  t.strictSame(unlinked, [node]);
});

t.test('a failed heartbeat is retried, and a replica that was given up registers again', async (t) => {
  const { db } = await createTestDatabase(t);
  const { lease: a, clock } = lease(t, db, 'rep_a');
  await a.start();
  await db.raw('ALTER TABLE replicas RENAME TO replicas_away');
  clock.advance(2_000);
  await until('the next heartbeat to be waited for', () => clock.pendingTimers === 1);
  await db.raw('ALTER TABLE replicas_away RENAME TO replicas');
  await db('replicas').delete();
  clock.advance(2_000);
  await until('the replica', async () => (await replicas(db)).length === 1);
  t.pass();
});
