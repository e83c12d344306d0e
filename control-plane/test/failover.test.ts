import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

const { api, database } = await startStack(t);

/** Breaks every connection, as a failover does. */
const fail = () =>
  database.db.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name LIKE 'vantage-%' AND datname = current_database()`);
// the next test begins when the database is back
t.afterEach(() => until('the database to be back', async () => (await fetch(`${api.url}/readyz`)).status === 200));

/** A node that has delivered one result. */
async function delivered(t: Test) {
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api), { isAnswering: false });
  const { nodeId } = peer.identity;
  await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:1', node_id: nodeId } });
  await until('the job', () => peer.jobs.length === 1);
  peer.sendResults(
    peer.jobs.map(({ taskId }) => successOf(taskId, 'tcp')),
    1,
  );
  await peer.waitFor('the acknowledgement', ({ ack }) => ack?.mark === 1);
  /** Makes a change to its rows that goes unnoticed, like the state of a database that has lost its last changes. */
  const undo = (sql: string) =>
    database.db.raw(
      `ALTER TABLE nodes DISABLE TRIGGER stamp_node; ${sql} = '${nodeId}'; ALTER TABLE nodes ENABLE TRIGGER stamp_node`,
    );
  return { peer, undo };
}

t.test('an idle agent is called back when the database has lost what it had acknowledged', async (t) => {
  const { peer, undo } = await delivered(t);
  await undo('UPDATE ingest_marks SET mark = 0 WHERE node_id');
  await fail();
  t.equal((await peer.waitForClose()).reason, 'CLOSE_OVERLOADED');
});

t.test('an idle agent is called back when the database has lost its link', async (t) => {
  const { peer, undo } = await delivered(t);
  await undo(
    'UPDATE nodes SET session_id = NULL, replica_id = NULL, generation = generation - 1, revision = 1 WHERE id',
  );
  await fail();
  t.equal((await peer.waitForClose()).reason, 'CLOSE_OVERLOADED');
});

t.test('a node is notified when the database has lost its assignments', async (t) => {
  const node = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9' };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  // not announced, as if it had never been written; for an existing monitor it would be written again
  await database.db('monitor_assignments').delete();
  await database.db('monitors').delete();
  await fail();
  await until('the node to have no assignments', () => !node.assignments.has(id));
  t.ok(node.peer.isOpen, 'on the same link');
});

t.test('an agent of which nothing was lost keeps its link when the database comes back', async (t) => {
  const { peer } = await delivered(t);
  const body = { target: '127.0.0.1:1', node_id: peer.identity.nodeId };
  await fail();
  // an agent that is called back would be gone before this arrives
  await until('the database to be back', async () => {
    const { status } = await api.call('POST', '/v1/probe/tcp', { body });
    return status === 202 && peer.jobs.length > 1;
  });
  t.ok(peer.isOpen);
});
