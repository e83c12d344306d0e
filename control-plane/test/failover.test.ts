import t, { type Test } from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';
import { until } from './_support/until.js';

/** A control plane whose node has delivered one result. */
async function delivered(t: Test) {
  const { api, database } = await startStack(t);
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api), { isAnswering: false });
  await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:1' } });
  await until('the job', () => peer.jobs.length === 1);
  peer.sendResults(
    peer.jobs.map(({ taskId }) => successOf(taskId, 'tcp')),
    1,
  );
  await peer.waitFor('the acknowledgement', ({ ack }) => ack?.mark === 1);
  /** As a failover does: every connection breaks. */
  const fail = () =>
    database.db.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE 'vantage-%' AND datname = current_database()`);
  /** A change that nobody notices, as what a database says after it has lost its last ones. */
  const undo = (sql: string) =>
    database.db.raw(
      `ALTER TABLE nodes DISABLE TRIGGER stamp_node; ${sql}; ALTER TABLE nodes ENABLE TRIGGER stamp_node`,
    );
  return { api, database, peer, fail, undo };
}

t.test('an idle agent is called back when the database has lost what it had acknowledged', async (t) => {
  const { peer, fail, undo } = await delivered(t);
  await undo('UPDATE ingest_marks SET mark = 0');
  await fail();
  t.equal((await peer.waitForClose()).reason, 'CLOSE_OVERLOADED');
});

t.test('an idle agent is called back when the database has lost its link', async (t) => {
  const { peer, fail, undo } = await delivered(t);
  await undo('UPDATE nodes SET session_id = NULL, replica_id = NULL, generation = generation - 1, revision = 1');
  await fail();
  t.equal((await peer.waitForClose()).reason, 'CLOSE_OVERLOADED');
});

t.test('a node is told that the database has forgotten what it was to watch', async (t) => {
  const { api, database } = await startStack(t);
  const node = await CheckingNode.join(t, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9' };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  // nothing that anybody announces, as when it was never written
  await database.db('monitor_assignments').delete();
  await database.db.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name LIKE 'vantage-%' AND datname = current_database()`);
  await until('the node to watch nothing', () => !node.assignments.has(id));
  t.ok(node.peer.isOpen, 'on the link it had');
});

t.test('an agent of which nothing was lost keeps its link when the database comes back', async (t) => {
  const { api, peer, fail } = await delivered(t);
  await fail();
  // whoever was to be called back would be gone before this comes
  await until('the database to be there again', async () => {
    const { status } = await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:1' } });
    return status === 202 && peer.jobs.length > 1;
  });
  t.ok(peer.isOpen);
});
