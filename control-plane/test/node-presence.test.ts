import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { presence } from '../src/modules/nodes/presence/presence.js';
import { createTestDatabase } from './_support/database.js';
import { keepEvents } from './_support/kept-events.js';
import { startStack } from './_support/stack.js';
import { insertNode } from './_support/stored-node.js';

async function aFleet(t: Test) {
  const { db } = await createTestDatabase(t);
  await keepEvents(db);
  const replicas = [1, 2].map(() => presence({ db, clock: new FakeClock(), log: pino({ level: 'silent' }) }));
  return {
    db,
    look: async () => void (await Promise.all(replicas.map((one) => one.run()))),
    link: (id: string) =>
      db('nodes')
        .where({ id })
        .update({ session_id: `ses_${id}` }),
    leave: async (id: string, secondsAgo: number) => {
      await db('nodes').where({ id }).update({ session_id: null });
      await db('nodes')
        .where({ id })
        .update({ left_at: new Date(Date.now() - secondsAgo * 1_000) });
    },
    published: (id: string): Promise<string[]> => db('outbox').where({ subject: id }).orderBy('id').pluck('kind'),
  };
}

t.test(
  'a node is announced as online with its first link and as offline after a minute without one, once over all replicas',
  async (t) => {
    const { db, look, link, leave, published } = await aFleet(t);
    const id = await insertNode(db, { name: 'Berlin' });
    await look();
    t.same(await published(id), [], 'a node that never had a link is not offline');
    await link(id);
    await look();
    await look();
    t.same(await published(id), ['node.online']);
    await leave(id, 5);
    await look();
    t.same(await published(id), ['node.online'], 'its agent may only be restarted');
    await link(id);
    await look();
    t.same(await published(id), ['node.online']);
    await leave(id, 61);
    await look();
    await look();
    const [, offline] = await db('outbox').orderBy('id');
    const { left_at: leftAt, owner_id: owner } = await db('nodes').where({ id }).first();
    t.match(offline, {
      kind: 'node.offline',
      owner_id: owner,
      is_test: false,
      payload: { node: { id, name: 'Berlin' }, reason: null, since: leftAt.toISOString() },
    });
    await link(id);
    await look();
    t.same(await published(id), ['node.online', 'node.offline', 'node.online']);
  },
);

t.test('a thousand nodes that leave at once are each announced once', async (t) => {
  const { db, look } = await aFleet(t);
  const id = await insertNode(db, { session_id: 'ses_0' });
  await db.raw(
    `INSERT INTO nodes (id, owner_id, name, visibility, public_key, hostname, agent_version, os, arch, session_id)
     SELECT 'n_' || g, owner_id, name, visibility, decode(md5(g::text), 'hex'), hostname, agent_version, os, arch, 'ses_' || g
     FROM nodes, generate_series(1, 999) g WHERE id = ?`,
    [id],
  );
  await look();
  t.equal((await db('outbox').where({ kind: 'node.online' })).length, 1_000);
  await db('nodes').update({ session_id: null });
  await db('nodes').update({ left_at: new Date(Date.now() - 61_000) });
  await look();
  t.equal((await db('outbox').where({ kind: 'node.offline' }).distinct('subject')).length, 1_000);
  t.equal((await db('outbox')).length, 2_000);
});

async function presenceOf(db: Knex): Promise<boolean | undefined> {
  return (await db('node_presence').first())?.is_online;
}

t.test('a ban is announced with its reason instead of as offline, and an unban as online', async (t) => {
  const { api, database } = await startStack(t);
  const { db } = database;
  await keepEvents(db);
  const id = await insertNode(db, { name: 'Berlin', session_id: 'ses_1' });
  const watch = presence({ db, clock: new FakeClock(), log: pino({ level: 'silent' }) });
  await watch.run();
  const act = async (verb: string, body?: object) =>
    t.match(await api.call('POST', `/v1/admin/nodes/${id}/${verb}`, { body }), { status: 200 });
  await act('ban', { reason: 'abuse' });
  const { banned_at: since, owner_id: owner } = await db('nodes').where({ id }).first();
  t.match(await db('outbox').where({ kind: 'node.banned' }), [
    {
      owner_id: owner,
      subject: id,
      payload: { node: { id, name: 'Berlin' }, reason: 'abuse', since: since.toISOString() },
    },
  ]);
  t.equal((await db('audit_log').where({ action: 'node.banned', subject: id })).length, 1);
  await db('nodes').update({ session_id: null });
  await db('nodes').update({ left_at: new Date(0) });
  await watch.run();
  t.equal(await presenceOf(db), false);
  await act('unban');
  await watch.run();
  await db('nodes').update({ session_id: 'ses_2' });
  await watch.run();
  t.same(await db('outbox').where({ subject: id }).orderBy('id').pluck('kind'), [
    'node.online',
    'node.banned',
    'node.online',
  ]);
});
