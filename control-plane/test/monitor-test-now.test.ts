import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { startStack } from './_support/stack.js';

t.test('a check on request names the nodes that did not answer in time, and says if none is linked', async (t) => {
  const clock = new FakeClock(Date.now());
  const { api, database } = await startStack(t, {}, clock);
  const [quick, slow] = [await CheckingNode.join(t, api, { asn: 1 }), await CheckingNode.join(t, api, { asn: 2 })];
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', node_count: 2 };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  for (const node of [quick, slow]) await node.waitForAssignment(id);
  const ask = (wait: number) => api.call('POST', `/v1/monitors/${id}/test?wait=${wait}`);
  const questions = ({ peer }: CheckingNode) => peer.frames.flatMap(({ checkNow }) => (checkNow ? [checkNow] : []));

  const answered = ask(10);
  await until('the requests', () => [quick, slow].every((node) => questions(node).length === 1));
  const [question] = questions(quick);
  quick.check(id, { slot_ms: clock.now(), request: question?.request ?? '', state: null });
  await until('the check', async () => (await database.db('monitor_checks')).length === 1);
  // a poll of the waiting request, or the end of its time: either way it has the results so far
  clock.advance(10_000);
  const { checks, waiting_nodes } = (await answered).body.data;
  t.match(checks, [{ node_id: quick.nodeId, success: true }]);
  t.equal(checks.length, 1);
  t.strictSame(waiting_nodes, [slow.nodeId]);

  const none = (await ask(0)).body.data;
  t.same(none.checks, []);
  t.strictSame(none.waiting_nodes.toSorted(), [quick.nodeId, slow.nodeId].toSorted());

  for (const node of [quick, slow]) node.peer.cut();
  await until('them to be gone', async () => (await database.db('nodes').whereNotNull('session_id')).length === 0);
  const refused = await ask(0);
  t.match([refused.status, refused.body.error.code], [503, 'NODE_OFFLINE']);
  t.equal(refused.headers.get('retry-after'), '30');
});
