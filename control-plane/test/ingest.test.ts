import { randomBytes } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { ingestStore } from '../src/ingest/index.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

const { api, database } = await startStack(t);
const { db } = database;

/** A new node that answers no job, and access to what is stored of it. */
async function silentPeer(t: Test) {
  const identity = await enrollPeer(api);
  const { nodeId: node_id } = identity;
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  const rowsOf = (table: string, ...columns: (string | Knex.Raw)[]) => db(table).where({ node_id }).select(columns);
  return { identity, peer, rowsOf };
}

type Silent = Awaited<ReturnType<typeof silentPeer>>;

/** Submits probes and waits until the peer has their jobs. @returns their ids, sorted like rows of the database */
async function jobs({ identity, peer }: Silent, count: number): Promise<string[]> {
  const before = peer.jobs.length;
  const body = { target: '127.0.0.1:1', node_id: identity.nodeId };
  for (let i = 0; i < count; i += 1) await api.call('POST', '/v1/probe/tcp', { body });
  await until('the jobs', () => peer.jobs.length === before + count);
  const ids = peer.jobs.slice(before).map(({ taskId }) => taskId);
  return ids.sort();
}

async function ack(peer: PeerAgent, mark: number) {
  const { ack: found } = await peer.waitFor(`the acknowledgement of ${mark}`, (frame) => frame.ack?.mark === mark);
  return found;
}

const states = ({ rowsOf }: Silent): Promise<{ readonly state: string }[]> =>
  rowsOf('probe_node_tasks', 'id', 'state', 'late').orderBy('id');

t.test('a batch sent again is stored once and acknowledged again', async (t) => {
  const stack = await silentPeer(t);
  const { peer, rowsOf } = stack;
  const ids = await jobs(stack, 3);
  const results = ids.map((id) => successOf(id, 'tcp'));
  peer.sendResults(results, 1);
  await ack(peer, 3);
  const finished = () => rowsOf('probe_node_tasks', 'id', 'finished_at').orderBy('id');
  const before = await finished();
  peer.sendResults(results, 1);
  await until('a second acknowledgement', () => peer.frames.filter((frame) => frame.ack?.mark === 3).length === 2);
  t.strictSame(await finished(), before);
  t.strictSame(await rowsOf('superseded_results'), []);
});

t.test('rows that the database lost after they were stored are requested again, not taken for stored', async (t) => {
  const stack = await silentPeer(t);
  const { identity, peer } = stack;
  const ids = await jobs(stack, 2);
  const results = ids.map((id) => successOf(id, 'tcp'));
  peer.sendResults(results, 1);
  await ack(peer, 2);
  const own = { node_id: identity.nodeId };
  await db('ingest_marks').where(own).update({ mark: 0 });
  const lost = { state: 'pending', result: null, success: null, finished_at: null };
  await db('probe_node_tasks').where(own).update(lost);
  peer.sendResults(results, 1);
  await peer.waitFor('the request to begin again', ({ ack }) => ack?.rewind === true && ack.mark === 0);
  peer.sendResults(results, 1);
  await until('the results', async () => (await states(stack)).every(({ state }) => state === 'done'));
});

t.test('results that an agent delivers as it leaves are stored before its session ends', async (t) => {
  const stack = await silentPeer(t);
  const ids = await jobs(stack, 20);
  for (const id of ids) stack.peer.sendResults([successOf(id, 'tcp')]);
  stack.peer.leave();
  await until('the session to end', async () => {
    const node = await db('nodes').where({ id: stack.identity.nodeId }).first('session_id');
    return node.session_id === null;
  });
  t.strictSame(
    (await states(stack)).map((row: { state: string }) => row.state),
    ids.map(() => 'done'),
  );
});

t.test('a batch that overlaps the mark stores only the new rows', async (t) => {
  const stack = await silentPeer(t);
  const ids = await jobs(stack, 3);
  const [a, b, c] = ids.map((id) => successOf(id, 'tcp'));
  if (!a || !b || !c) throw new Error('jobs missing');
  stack.peer.sendResults([a, b], 1);
  await ack(stack.peer, 2);
  stack.peer.sendResults([b, c], 2);
  await ack(stack.peer, 3);
  t.ok((await states(stack)).every((row: { state: string }) => row.state === 'done'));
});

t.test('a gap is refused: nothing is stored and the agent learns where to begin again', async (t) => {
  const stack = await silentPeer(t);
  const [id] = await jobs(stack, 1);
  stack.peer.sendResults([successOf(id ?? '', 'tcp')], 5);
  const { ack: rewind } = await stack.peer.waitFor('the rewind', (frame) => frame.ack?.rewind === true);
  t.equal(rewind?.mark, 0);
  t.match(await states(stack), [{ state: 'pending' }]);
  stack.peer.sendResults([successOf(id ?? '', 'tcp')], 1);
  await ack(stack.peer, 1);
  t.match(await states(stack), [{ state: 'done' }]);
});

t.test('results are committed by a transaction that waits for the disk before it is acknowledged', async (t) => {
  const stack = await silentPeer(t);
  const [id] = await jobs(stack, 1);
  await db.raw(
    `CREATE TABLE test_seen (setting text);
     CREATE FUNCTION test_sees() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN INSERT INTO test_seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END$$;
     CREATE TRIGGER test_sees AFTER UPDATE ON ingest_marks FOR EACH STATEMENT EXECUTE FUNCTION test_sees()`,
  );
  stack.peer.sendResults([successOf(id ?? '', 'tcp')], 1);
  await ack(stack.peer, 1);
  t.strictSame(await db('test_seen').select('setting'), [{ setting: 'on' }]);
});

t.test('numbers an agent dropped are skipped and recorded', async (t) => {
  const stack = await silentPeer(t);
  const [id] = await jobs(stack, 1);
  stack.peer.send({ dropped: { epoch: stack.peer.epoch, lane: 1, first: 1, last: 9, reason: 'spool_full' } });
  await ack(stack.peer, 9);
  stack.peer.sendResults([successOf(id ?? '', 'tcp')], 10);
  await ack(stack.peer, 10);
  t.strictSame(await stack.rowsOf('spool_gaps', 'first', 'last', 'reason'), [
    { first: 1, last: 9, reason: 'spool_full' },
  ]);
});

t.test('the welcome says which numbers are durable, per epoch', async (t) => {
  const stack = await silentPeer(t);
  const [id] = await jobs(stack, 1);
  stack.peer.sendResults([successOf(id ?? '', 'tcp')], 1);
  await ack(stack.peer, 1);
  const again = await PeerAgent.connect(t, api.url, stack.identity, { epoch: stack.peer.epoch, last: 1 });
  t.match(again.frames.find((frame) => frame.welcome)?.welcome, {
    newEpoch: false,
    marks: [
      { lane: 1, mark: 1 },
      { lane: 2, mark: 0 },
    ],
  });
  const restored = await PeerAgent.connect(t, api.url, stack.identity, { epoch: stack.peer.epoch, last: 0 });
  t.equal(
    restored.frames.find((frame) => frame.welcome)?.welcome?.newEpoch,
    true,
    'a mark above the last number: start a new epoch',
  );
  const fresh = await PeerAgent.connect(t, api.url, stack.identity, { epoch: randomBytes(16) });
  t.match(fresh.frames.find((frame) => frame.welcome)?.welcome?.marks, [
    { lane: 1, mark: 0 },
    { lane: 2, mark: 0 },
  ]);
});

t.test('rows that are not results are rejected by number and the rest of the batch is stored', async (t) => {
  const stack = await silentPeer(t);
  const [id] = await jobs(stack, 1);
  const sound = successOf(id ?? '', 'tcp');
  const json = Buffer.from(sound.resultJson ?? []).toString();
  const bad = [
    { ...sound, taskId: 'nonsense' },
    { ...sound, probeType: 'quic' },
    { ...sound, resultJson: Buffer.from('{') },
    { ...sound, resultJson: Buffer.from(json.replace('"success":true', '"success":"yes"')) },
    { ...sound, resultJson: Buffer.from(json.replace('"attempts":[]', '"attempts":[],"banner":"a\\u0000b"')) },
    { ...sound, resultJson: Buffer.from([0x22, 0xff, 0x22]) },
    { ...sound, clockOffsetMs: 8.9e15, uncertaintyMs: 1 },
  ];
  stack.peer.sendResults([...bad, sound], 1);
  const answer = await ack(stack.peer, 8);
  t.strictSame(
    answer?.rejects.map(({ sequence, code }) => [sequence, code]),
    [
      [1, 'unknown_task'],
      [2, 'unknown_type'],
      [3, 'malformed'],
      [4, 'malformed'],
      [5, 'malformed'],
      [6, 'malformed'],
      [7, 'out_of_range'],
    ],
  );
  t.match(await states(stack), [{ state: 'done' }]);
});

t.test('a result for a task that does not exist, or is another node’s, changes nothing', async (t) => {
  const stack = await silentPeer(t);
  const { peer: other, rowsOf } = await silentPeer(t);
  const [id = ''] = await jobs(stack, 1);
  other.sendResults(
    [
      successOf(id, 'tcp'),
      successOf(newId(idPrefixes.probeTask), 'tcp'),
      successOf(newId(idPrefixes.probeTask, 1e12), 'tcp'),
    ],
    1,
  );
  await ack(other, 3);
  t.match(await states(stack), [{ id, state: 'pending' }]);
  t.strictSame([...(await rowsOf('superseded_results')), ...(await stack.rowsOf('superseded_results'))], []);
});

t.test('a second result of a finished task is acknowledged, kept as superseded and changes nothing', async (t) => {
  const stack = await silentPeer(t);
  const [id] = await jobs(stack, 1);
  stack.peer.sendResults([successOf(id ?? '', 'tcp')], 1);
  await ack(stack.peer, 1);
  const done = () => stack.rowsOf('probe_node_tasks', db.raw('result::text'), 'finished_at');
  const before = await done();
  stack.peer.sendResults([successOf(id ?? '', 'tcp')], 2);
  await ack(stack.peer, 2);
  t.strictSame(await done(), before);
  t.strictSame(await stack.rowsOf('superseded_results', 'id'), [{ id }]);
});

t.test('a row that PostgreSQL refuses becomes a dead letter, and the others of its batch are stored', async (t) => {
  const stack = await silentPeer(t);
  const ids = await jobs(stack, 3);
  await db.raw(`ALTER TABLE probe_node_tasks ADD CONSTRAINT test_refuses CHECK (id <> '${ids[1]}' OR state <> 'done')`);
  stack.peer.sendResults(
    ids.map((id) => successOf(id, 'tcp')),
    1,
  );
  const answer = await ack(stack.peer, 3);
  t.match(answer?.rejects, [{ sequence: 2, code: 'unstorable' }]);
  t.match(
    (await states(stack)).map((row: { state: string }) => row.state),
    ['done', 'pending', 'done'],
  );
  t.match(await stack.rowsOf('dead_letters', 'sequence', 'code'), [{ sequence: 2, code: '23514' }]);
});

t.test('a failure that no row caused fails the batch: nothing is stored, acknowledged or given up', async (t) => {
  const stack = await silentPeer(t);
  const { peer } = stack;
  const ids = await jobs(stack, 3);
  await db.raw(
    `CREATE FUNCTION test_fails() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END$$;
     CREATE TRIGGER test_fails BEFORE UPDATE ON probe_node_tasks FOR EACH ROW WHEN (NEW.id = '${ids[1]}') EXECUTE FUNCTION test_fails()`,
  );
  const results = ids.map((id) => successOf(id, 'tcp'));
  peer.sendResults(results, 1);
  const { ack: rewind } = await peer.waitFor('the request to send it again', ({ ack }) => ack !== null);
  t.match(rewind, { mark: 0, rewind: true, rejects: [] });
  t.match(await states(stack), [{ state: 'pending' }, { state: 'pending' }, { state: 'pending' }]);
  t.strictSame(await stack.rowsOf('dead_letters'), []);
  // to drop the trigger would lock the table, against the order of statements that are running
  await db.raw('CREATE OR REPLACE FUNCTION test_fails() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NEW; END$$');
  peer.sendResults(results, 1);
  await ack(peer, 3);
  t.match(await states(stack), [{ state: 'done' }, { state: 'done' }, { state: 'done' }]);
});

t.test('the mark of results that their kind stores itself does not move if that fails', async (t) => {
  const { identity, peer } = await silentPeer(t);
  await peer.waitFor('the welcome', ({ welcome }) => welcome !== null);
  const writer = { name: 'test', store: () => Promise.reject(new Error('connection lost')) };
  const row = { sequence: 1, probeType: 'tcp', resultJson: '{}', outcome: 'success', body: null, writer };
  const { session_id: sessionId } = await db('nodes').where({ id: identity.nodeId }).first();
  const { epoch, lane } = await db('ingest_marks').where({ node_id: identity.nodeId }).first();
  const batch = { kind: 'rows', nodeId: identity.nodeId, sessionId, epoch, lane, first: 1, last: 1 } as const;
  await t.rejects(ingestStore(db).storeBatches([{ ...batch, rows: [row] }]), { message: 'connection lost' });
  t.strictSame(await db('ingest_marks').where({ epoch, lane }).pluck('mark'), [0]);
});

t.test(
  'nothing of a banned node or of a replaced link is stored, even if it arrives before the link closes',
  async (t) => {
    for (const [change, reason] of [
      [{ banned_at: new Date() }, 'CLOSE_BANNED'],
      [{ quarantined_at: new Date() }, 'CLOSE_BANNED'],
      [{ session_id: newId(idPrefixes.session) }, 'CLOSE_REPLACED'],
    ] as const) {
      const stack = await silentPeer(t);
      const { identity, peer } = stack;
      const [id] = await jobs(stack, 1);
      await db.transaction(async (trx) => {
        // no trigger runs: the row contains the ban before any replica has learned of it
        await trx.raw('SET LOCAL session_replication_role = replica');
        await trx('nodes').where({ id: identity.nodeId }).update(change);
      });
      peer.sendResults([successOf(id ?? '', 'tcp')], 1);
      t.equal((await peer.waitForClose()).reason, reason);
      t.notMatch(await states(stack), [{ state: 'done' }]);
      t.notOk(peer.frames.some((frame) => frame.ack !== null));
    }
  },
);

t.test('started_at is moved to the control plane’s clock by the agent’s best estimate', async (t) => {
  const stack = await silentPeer(t);
  const [id] = await jobs(stack, 1);
  const result = successOf(id ?? '', 'tcp');
  const value = JSON.parse(Buffer.from(result.resultJson ?? []).toString());
  value.started_at = '2020-01-01T00:00:00.000Z';
  const offset = Date.parse('2026-01-01T00:00:00.000Z') - Date.parse('2020-01-01T00:00:00.000Z');
  stack.peer.sendResults(
    [{ ...result, resultJson: Buffer.from(JSON.stringify(value)), clockOffsetMs: offset, uncertaintyMs: 3 }],
    1,
  );
  await ack(stack.peer, 1);
  const { body } = await api.call('GET', `/v1/probe/tasks/${id}`);
  t.equal(body.data.node_results[0].started_at, '2026-01-01T00:00:00.000Z');
});
