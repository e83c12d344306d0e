import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import type { ResultMessage } from '@vantage/shared/protocol/codec.js';
import t, { type Test } from 'tap';
import { Ingest, ingestStore } from '../src/ingest/index.js';
import { createLogger } from '../src/runtime/log.js';
import type { TestDatabase } from './_support/database.js';
import { lockWaits } from './_support/lock-waits.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

/** A node with three jobs that it has measured and not delivered. */
async function threeMeasured(t: Test) {
  const stack = await startStack(t);
  const identity = await enrollPeer(stack.api);
  const peer = await PeerAgent.connect(t, stack.api.url, identity, { isAnswering: false });
  for (let index = 0; index < 3; index += 1)
    await stack.api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:1' } });
  await until('the jobs', () => peer.jobs.length === 3);
  return { ...stack, identity, peer, results: peer.jobs.map(({ taskId }) => successOf(taskId, 'tcp')) };
}

/** Locks the marks, so that every transaction that stores results waits. */
async function holdMarks({ db }: TestDatabase) {
  const lock = await db.transaction();
  await lock.raw('SELECT 1 FROM ingest_marks FOR UPDATE');
  return {
    untilWaiting: (count: number) => until(`${count} to wait`, async () => (await lockWaits(db)) >= count),
    lock,
  };
}

async function seen({ db }: TestDatabase) {
  const { rows } = await db.raw(
    `SELECT (SELECT count(*)::int FROM probe_node_tasks WHERE state = 'done') AS done,
            (SELECT count(*)::int FROM superseded_results) AS superseded,
            (SELECT max(mark)::int FROM ingest_marks WHERE lane = 1) AS mark`,
  );
  return rows[0];
}

/** The ingest of one more replica; `finished` contains each result that ended a task, as that replica announces it. */
function anIngest({ db }: TestDatabase, finished: string[]): Ingest {
  const metrics = { observe: () => {}, countRejects: () => {}, countResult: () => {} };
  const ingest = new Ingest({ store: ingestStore(db), clock: systemClock, log: createLogger('silent'), metrics });
  ingest.onFinished((results) => finished.push(...results.map(({ row }) => row.taskId)));
  return ingest;
}

t.test('the same batch on its way over two replicas at the same moment is stored once', async (t) => {
  const { database, identity, peer, results } = await threeMeasured(t);
  const { rows } = await database.db.raw('SELECT session_id FROM nodes WHERE id = ?', [identity.nodeId]);
  const delivery = (of: readonly ResultMessage[]) => ({
    nodeId: identity.nodeId,
    sessionId: rows[0].session_id,
    epoch: peer.epoch,
    lane: 'task' as const,
    first: 1,
    results: of,
  });
  const finished: string[] = [];
  const { lock, untilWaiting } = await holdMarks(database);
  const stored = [0, 1].map(() => anIngest(database, finished).store(delivery(results)));
  await untilWaiting(2);
  await lock.commit();
  for (const outcome of await Promise.all(stored)) t.match(outcome, { kind: 'stored', mark: 3 });
  t.same(await seen(database), { done: 3, superseded: 0, mark: 3 });
  t.equal(new Set(finished).size, 3);
  t.equal(finished.length, 3, 'each is sent to its waiting callers by one of the two');
});

t.test('the same batch over an old and a new link of a node at the same moment is stored once', async (t) => {
  const { api, database, identity, peer, results } = await threeMeasured(t);
  const { lock, untilWaiting } = await holdMarks(database);
  peer.sendResults(results, 1);
  await untilWaiting(1);
  const next = await PeerAgent.dial(t, api.url, identity, { epoch: peer.epoch, last: 3, isAnswering: false });
  await untilWaiting(2);
  await lock.commit();
  await next.waitFor('the welcome', (frame) => frame.welcome !== null);
  next.sendResults(results, 1);
  await next.waitFor('the acknowledgement', ({ ack }) => ack?.mark === 3);
  t.same(await seen(database), { done: 3, superseded: 0, mark: 3 });
  t.equal((await peer.waitForClose()).reason, 'CLOSE_REPLACED');
});
