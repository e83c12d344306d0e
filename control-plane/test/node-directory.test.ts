import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { PostgresBus } from '../src/bus/postgres-bus.js';
import { type Node, NodeDirectory } from '../src/modules/nodes/index.js';
import { nodeReads } from '../src/modules/nodes/store.js';
import { busSecretKey } from './_support/bus-driver.js';
import { createTestDatabase, type TestDatabase } from './_support/database.js';
import { insertNode } from './_support/stored-node.js';

const log = pino({ level: 'silent' });

/** A replica's directory that polls only when the test advances its clock. */
async function replica(t: Test, { db, url }: TestDatabase, replicaId: string) {
  const clock = new FakeClock();
  const bus = new PostgresBus({
    url,
    replicaId,
    secretKey: busSecretKey,
    isListening: true,
    hasOthers: () => true,
    log,
    clock: systemClock,
  });
  const directory = new NodeDirectory({ nodes: nodeReads(db), bus, clock, log });
  const changes: Node[] = [];
  directory.onChange((node) => changes.push(node));
  t.teardown(async () => {
    directory.stop();
    await bus.stop();
  });
  await bus.start();
  await directory.start();
  return { directory, clock, changes };
}

const cutBus = (db: TestDatabase['db']) =>
  db.raw(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'vantage-bus' AND datname = current_database()`,
  );

t.test('a directory knows every existing node when it starts', async (t) => {
  const database = await createTestDatabase(t);
  const id = await insertNode(database.db, { country: 'DE' });
  const { directory } = await replica(t, database, 'rep_a');
  t.match(directory.find(id), { id, country: 'DE', isPublic: true });
  t.equal(directory.find('n_none'), null);
  t.equal([...directory.all()].length, 1);
});

t.test('changes that one replica announces reach the others at once, over the bus alone', async (t) => {
  const database = await createTestDatabase(t);
  const id = await insertNode(database.db);
  const [a, b] = [await replica(t, database, 'rep_a'), await replica(t, database, 'rep_b')];
  await database.db('nodes').where({ id }).update({ name: 'renamed' });
  await a.directory.announce([id]);
  t.equal(a.directory.find(id)?.name, 'renamed');
  await until('the other replica to know', () => b.directory.find(id)?.name === 'renamed');
  t.match(b.changes.at(-1), { id, name: 'renamed' });
});

t.test('changes that no replica announced are known after a second, by polling alone', async (t) => {
  const database = await createTestDatabase(t);
  const { directory, clock, changes } = await replica(t, database, 'rep_a');
  const id = await insertNode(database.db);
  for (const name of ['first', 'second', 'third']) {
    await database.db('nodes').where({ id }).update({ name });
    await until('the next poll to be waited for', () => clock.pendingTimers === 1);
    clock.advance(999);
    t.equal(clock.pendingTimers, 1, 'not before its time');
    clock.advance(1);
    await until('the poll', () => directory.find(id)?.name === name);
  }
  t.strictSame(
    changes.map(({ name }) => name),
    ['first', 'second', 'third'],
    'no change is reported twice',
  );
});

t.test('after the bus was cut all changes are read again', async (t) => {
  const database = await createTestDatabase(t);
  const id = await insertNode(database.db);
  const { directory } = await replica(t, database, 'rep_a');
  await database.db('nodes').where({ id }).update({ name: 'renamed' });
  await cutBus(database.db);
  await until('the resync', () => directory.find(id)?.name === 'renamed');
  t.pass();
});

t.test('a database that has lost its last changes is trusted once it is back', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const [kept, enrolled] = [await insertNode(db, { name: 'older' }), await insertNode(db)];
  const { directory, changes } = await replica(t, database, 'rep_a');
  await db('nodes').where({ id: kept }).update({ name: 'newer' });
  await directory.refresh([kept]);
  await db.raw('ALTER TABLE nodes DISABLE TRIGGER stamp_node');
  await db('nodes').where({ id: kept }).update({ name: 'older', revision: 1 });
  await db('nodes').where({ id: enrolled }).delete();
  await cutBus(db);
  await until('the older state', () => directory.find(kept)?.name === 'older');
  t.equal(directory.find(enrolled), null);
  t.match(changes.at(-1), { id: kept, name: 'older' });
});

t.test('a change that was committed after later ones is not missed', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const [slow, quick] = [await insertNode(db), await insertNode(db)];
  const { directory, clock } = await replica(t, database, 'rep_a');
  const trx = await db.transaction();
  await trx('nodes').where({ id: slow }).update({ name: 'slow' });
  await db('nodes').where({ id: quick }).update({ name: 'quick' });
  clock.advance(1_000);
  await until('the quick change', () => directory.find(quick)?.name === 'quick');
  await trx.commit();
  await until('the next poll to be waited for', () => clock.pendingTimers === 1);
  clock.advance(1_000);
  await until('the slow change', () => directory.find(slow)?.name === 'slow');
  t.pass();
});

t.test('during a database failure the directory is unchanged and keeps polling', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const id = await insertNode(db, { name: 'before' });
  const { directory, clock } = await replica(t, database, 'rep_a');
  await db.raw('ALTER TABLE nodes RENAME TO nodes_away');
  clock.advance(1_000);
  await until('the next poll to be waited for', () => clock.pendingTimers === 1);
  t.equal(directory.find(id)?.name, 'before');
  await db.raw('ALTER TABLE nodes_away RENAME TO nodes');
  await db('nodes').where({ id }).update({ name: 'after' });
  clock.advance(1_000);
  await until('the change', () => directory.find(id)?.name === 'after');
  t.pass();
});
