import type { Knex } from 'knex';
import t from 'tap';
import { deleteOldLinkDays, updateUptimes } from '../src/modules/nodes/presence/uptime-store.js';
import { createTestDatabase } from './_support/database.js';
import { insertNode } from './_support/stored-node.js';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

/** A node enrolled the given number of days ago. */
const aNode = (db: Knex, days: number, columns: object = {}) => insertNode(db, { created_at: ago(days), ...columns });

async function uptimeOf(db: Knex, id: string): Promise<number | null> {
  await updateUptimes(db);
  return (await db('nodes').where({ id }).first('uptime_percent_30d')).uptime_percent_30d;
}

t.test('links are recorded by day, however they end, and give a share of the time since enrollment', async (t) => {
  const { db } = await createTestDatabase(t);
  const id = await aNode(db, 10, { session_id: 'ses_1', connected_at: ago(2.5) });
  await db('nodes').where({ id }).update({ session_id: 'ses_2', connected_at: db.fn.now() });
  await db('nodes').where({ id }).update({ session_id: null });
  const days = await db('node_link_days').where({ node_id: id }).orderBy('day');
  t.ok(days.length === 3 || days.length === 4, `${days.length} days`);
  t.ok(
    days.slice(1, -1).every(({ seconds }) => seconds === 86_400),
    'a whole day counts as a whole day',
  );
  const total = days.reduce((sum, { seconds }) => sum + seconds, 0);
  t.ok(Math.abs(total - 2.5 * 86_400) < 60, `${total} s`);
  t.equal(await uptimeOf(db, id), 25);
});

t.test('an open link counts until now; time before the last 30 days does not count', async (t) => {
  const { db } = await createTestDatabase(t);
  const always = await aNode(db, 200, { session_id: 'ses_1', connected_at: ago(100) });
  const half = await aNode(db, 4, { session_id: 'ses_1', connected_at: ago(2) });
  const never = await aNode(db, 4);
  const once = await aNode(db, 200, { session_id: 'ses_1', connected_at: ago(100) });
  await db('node_link_days').insert({ node_id: once, day: ago(40), seconds: 86_400 });
  await db('nodes').where({ id: once }).update({ session_id: null, connected_at: null });
  await db('node_link_days').where({ node_id: once }).where('day', '>', ago(35)).delete();
  t.equal(await uptimeOf(db, always), 100);
  t.equal(await uptimeOf(db, half), 50);
  t.equal(await uptimeOf(db, never), 0);
  t.equal(await uptimeOf(db, once), 0);
});

t.test('a node whose uptime is unchanged is not written', async (t) => {
  const { db } = await createTestDatabase(t);
  const id = await aNode(db, 4);
  await updateUptimes(db);
  const before = await db('nodes').where({ id }).first('revision');
  await updateUptimes(db);
  t.strictSame(await db('nodes').where({ id }).first('revision'), before, 'so that no replica reads it again');
});

t.test('days with links are deleted after 90 days', async (t) => {
  const { db } = await createTestDatabase(t);
  for (const days of [89, 92]) await db('node_link_days').insert({ node_id: `n_${days}`, day: ago(days), seconds: 1 });
  await deleteOldLinkDays(db);
  t.strictSame(await db('node_link_days').pluck('node_id'), ['n_89']);
});
