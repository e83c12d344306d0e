import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { lastingLeases } from './_support/lasting-lease.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask } from './_support/probes.js';
import { apiOf, startReplica, startStack } from './_support/stack.js';
import { within } from './_support/within.js';

const { api } = await startStack(t);

t.test('a probe submitted to the API runs on an enrolled agent and its result comes back', async (t) => {
  const identity = await enrollPeer(api, { declared: { country: 'DE', asn: 3320, city: 'Berlin', tags: ['ssd'] } });
  await PeerAgent.connect(t, api.url, identity);
  const created = await api.call('POST', '/v1/probe/http', { body: { target: 'http://127.0.0.1/' } });
  t.equal(created.status, 202);
  t.match(created.body.data, { task_id: /^pt_/, task_ids: [/^pt_/], status: 'queued' });
  const task = await finishedTask(api, created.body.data.task_id);
  t.equal(task.status, 'completed');
  t.match(task, {
    probe_type: 'http',
    target: 'http://127.0.0.1/',
    completed_at: /Z$/,
    summary: { success_count: 1, fail_count: 0 },
    node_results: [
      {
        node_id: identity.nodeId,
        success: true,
        error: null,
        node: { country: 'DE', asn: 3320, region: 'Western Europe' },
      },
    ],
  });
  const single = await api.call('GET', `/v1/probe/tasks/${created.body.data.task_ids[0]}`);
  t.equal(single.body.data.task_id, created.body.data.task_ids[0], 'a node task is readable by its own id');
  t.equal(single.body.data.node_results.length, 1);
});

t.test('a long poll ends when the result arrives, and with the current state when its time is over', async (t) => {
  const identity = await enrollPeer(api);
  const silent = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  const { body } = await api.call('POST', '/v1/probe/tcp', {
    body: { target: '127.0.0.1:80', node_id: identity.nodeId },
  });
  const early = await api.call('GET', `/v1/probe/tasks/${body.data.task_id}?wait=1`);
  t.match(early.body.data, { status: 'running', completed_at: null, node_results: [] });
  const waiting = api.call('GET', `/v1/probe/tasks/${body.data.task_id}?wait=30`);
  await silent.waitFor('the job', (frame) => frame.job !== null);
  const job = silent.jobs[0];
  silent.sendResults([successOf(job?.taskId ?? '', 'tcp')]);
  t.equal((await waiting).body.data.status, 'completed');
});

t.test('a probe of one control plane runs on an agent of the other, and waiting callers get its result', async (t) => {
  // the clock of the first replica stands still: only the message of the other one ends the wait
  const stack = await startStack(t, {}, new FakeClock(Date.now()));
  await lastingLeases(stack.database.db);
  const other = await startReplica(t, stack.database.url, { VANTAGE_PUBLIC_URL: stack.api.url });
  await PeerAgent.connect(t, other.listenUrl, await enrollPeer(stack.api));
  const otherApi = apiOf(other.listenUrl, stack.api.token, stack.api.userId);
  await until('the first replica to see the node online', async () => {
    const { body } = await stack.api.call('GET', '/v1/nodes?status=online');
    return body.data.items.length === 1;
  });
  const { body } = await stack.api.call('POST', '/v1/probe/dns', { body: { target: 'www.example.com' } });
  const path = `/v1/probe/tasks/${body.data.task_id}?wait=30`;
  const waiting = Promise.all([stack.api, otherApi].map((api) => api.call('GET', path)));
  for (const answer of await within('the result', waiting)) t.equal(answer.body.data.status, 'completed');
});
