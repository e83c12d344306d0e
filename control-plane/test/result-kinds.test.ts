import { systemClock } from '@vantage/shared/clock.js';
import type { Lane, ResultMessage } from '@vantage/shared/protocol/codec.js';
import t, { type Test } from 'tap';
import { Ingest, ingestStore, ownKind, taskResults } from '../src/ingest/index.js';
import { createLogger } from '../src/runtime/log.js';
import { createTestDatabase, type TestDatabase } from './_support/database.js';
import { insertUsers } from './_support/owners.js';

const nodeId = 'n_reader';
const sessionId = 'ses_reader';
const epoch = Buffer.alloc(16, 1);
const UNLUCKY = 13;

interface Reading {
  readonly subject: string;
  readonly value: number;
}

/**
 * A second kind in addition to the results of one-shot probes, in the other lane; only the number of a row keeps it
 * from being stored twice.
 */
const readings = ownKind<Reading>({
  name: 'reading',
  lane: 'check',
  parse: ({ resultJson }) => {
    const body = JSON.parse(Buffer.from(resultJson ?? []).toString()) as Reading;
    if (!Number.isInteger(body.value)) return { reject: 'malformed' };
    return { body, probeType: 'reading', outcome: 'success', resultJson: JSON.stringify(body) };
  },
  store: async (trx, rows) => {
    await trx('test_readings').insert(rows.map(({ nodeId, body }) => ({ node_id: nodeId, ...body })));
    return () => undefined;
  },
});

/** A database with one node, its link, and a table for readings that accepts every number but one. */
async function aReader(t: Test): Promise<TestDatabase> {
  const database = await createTestDatabase(t);
  const { db } = database;
  await db.raw(`CREATE TABLE test_readings (node_id text, subject text, value int CHECK (value <> ${UNLUCKY}))`);
  await insertUsers(db, [{ id: 'u_owner', email: 'o@example.com', role: 'user', plan: 'free' }]);
  await db('nodes').insert({
    id: nodeId,
    owner_id: 'u_owner',
    name: nodeId,
    visibility: 'public',
    public_key: Buffer.alloc(32, 1),
    hostname: nodeId,
    agent_version: '0.1.0',
    os: 'linux',
    arch: 'x64',
    session_id: sessionId,
  });
  for (const lane of [1, 2]) await db('ingest_marks').insert({ node_id: nodeId, epoch, lane, mark: 0 });
  return database;
}

function anIngest({ db }: TestDatabase): Ingest {
  const metrics = { observe: () => {}, countRejects: () => {}, countResult: () => {} };
  const options = { store: ingestStore(db), clock: systemClock, log: createLogger('silent'), metrics };
  return new Ingest({ ...options, kinds: [taskResults, readings] });
}

function reading(subject: string, value: unknown = 1): ResultMessage {
  return { kind: 'reading', resultJson: Buffer.from(JSON.stringify({ subject, value })) };
}

function delivery(results: readonly ResultMessage[], first = 1, lane: Lane = 'check') {
  return { nodeId, sessionId, epoch, lane, first, results };
}

async function stored({ db }: TestDatabase) {
  const { rows } = await db.raw('SELECT subject FROM test_readings ORDER BY subject');
  const { mark } = await db('ingest_marks').where({ lane: 2 }).first('mark');
  return { subjects: rows.map(({ subject }: Reading) => subject), mark };
}

t.test('rows of an additional kind are stored once, however often and wherever they arrive', async (t) => {
  const database = await aReader(t);
  const [one, other] = [anIngest(database), anIngest(database)];
  const batch = delivery([reading('a'), reading('b')]);
  await Promise.all([one.store(batch), other.store(batch), one.store(batch)]);
  t.match(await one.store(delivery([reading('b'), reading('c')], 2)), { kind: 'stored', mark: 3 });
  t.same(await stored(database), { subjects: ['a', 'b', 'c'], mark: 3 });
  t.match(await one.store(delivery([reading('e')], 5)), { kind: 'gap', mark: 3 });
  t.same(await stored(database), { subjects: ['a', 'b', 'c'], mark: 3 });
});

t.test('a kind that cannot store its rows moves no mark', async (t) => {
  const database = await aReader(t);
  await database.db.raw('ALTER TABLE test_readings RENAME TO elsewhere');
  await t.rejects(anIngest(database).store(delivery([reading('a')])), { code: '42P01' });
  await database.db.raw('ALTER TABLE elsewhere RENAME TO test_readings');
  t.same(await stored(database), { subjects: [], mark: 0 });
  await anIngest(database).store(delivery([reading('a')]));
  t.same(await stored(database), { subjects: ['a'], mark: 1 });
});

t.test('invalid rows of an additional kind, or rows in the wrong lane, are rejected by number', async (t) => {
  const database = await aReader(t);
  const ingest = anIngest(database);
  const rows = [reading('a'), reading('b', 'much'), {}, { kind: 'horoscope' }, reading('c')];
  t.match(await ingest.store(delivery(rows)), {
    mark: 5,
    rejects: [
      { sequence: 2, code: 'malformed' },
      { sequence: 3, code: 'wrong_lane' },
      { sequence: 4, code: 'unknown_kind' },
    ],
  });
  t.match(await ingest.store(delivery([reading('d')], 1, 'task')), {
    rejects: [{ sequence: 1, code: 'wrong_lane' }],
  });
  t.same(await stored(database), { subjects: ['a', 'c'], mark: 5 });
});

t.test(
  'a row of an additional kind that PostgreSQL refuses becomes a dead letter, the others are stored',
  async (t) => {
    const database = await aReader(t);
    const outcome = await anIngest(database).store(delivery([reading('a'), reading('b', UNLUCKY), reading('c')]));
    t.match(outcome, { mark: 3, rejects: [{ sequence: 2, code: 'unstorable' }] });
    t.same(await stored(database), { subjects: ['a', 'c'], mark: 3 });
    const [letter] = await database.db('dead_letters').select('sequence', 'payload');
    t.same({ ...letter, payload: letter.payload.toString() }, { sequence: 2, payload: '{"subject":"b","value":13}' });
  },
);

t.test('no row of an additional kind of a banned node is stored', async (t) => {
  const database = await aReader(t);
  await database.db('nodes').update({ banned_at: new Date() });
  t.match(await anIngest(database).store(delivery([reading('a')])), { kind: 'refused' });
  t.same(await stored(database), { subjects: [], mark: 0 });
});
