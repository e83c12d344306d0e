import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent, type PeerOptions, successOf } from './_support/peer-agent.js';
import { type Stack, startStack } from './_support/stack.js';
import { within } from './_support/within.js';

const live = await startStack(t);
// time passes as a test lets it
const clock = new FakeClock(Date.now());
const still = await startStack(t, {}, clock);

async function runningTask(t: Test, stack: Stack, options: PeerOptions = {}) {
  const identity = await enrollPeer(stack.api);
  const peer = await PeerAgent.connect(t, stack.api.url, identity, { isAnswering: false, ...options });
  const { body } = await stack.api.call('POST', '/v1/probe/tcp', {
    body: { target: '127.0.0.1:1', node_id: identity.nodeId },
  });
  await until('the job', () => peer.jobs.length === 1);
  const read = async () => (await stack.api.call('GET', `/v1/probe/tasks/${body.data.task_id}`)).body.data;
  const waitForEnd = async () =>
    (await stack.api.call('GET', `/v1/probe/tasks/${body.data.task_id}?wait=30`)).body.data;
  return { ...stack, identity, peer, taskId: body.data.task_id, nodeTaskId: body.data.task_ids[0], read, waitForEnd };
}

/** Lets a second pass for the control plane, in which the peer is heard. */
async function passSecond(peer: PeerAgent): Promise<void> {
  const replies = () => peer.frames.filter(({ heartbeat }) => heartbeat !== null).length;
  const before = replies();
  await until('a reply to a heartbeat', () => replies() > before || !peer.isOpen);
  clock.advance(1_000);
}

t.test('a task whose only node is lost ends as failed with node_lost, without waiting for its timeout', async (t) => {
  const { peer, waitForEnd } = await runningTask(t, live);
  peer.cut();
  t.match(await waitForEnd(), {
    status: 'failed',
    completed_at: /Z$/,
    node_results: [{ success: false, error: { code: 'node_lost' }, started_at: null }],
    summary: { success_count: 0, fail_count: 1 },
  });
});

t.test('a node that is back in time with the same process gets the job again and the task continues', async (t) => {
  const { api, peer, identity, waitForEnd, read } = await runningTask(t, still);
  peer.cut();
  const back = await PeerAgent.connect(t, api.url, identity, { epoch: peer.epoch });
  await until('the job again', () => back.jobs.length === 1);
  t.match(await waitForEnd(), { status: 'completed' });
  t.match(await read(), { node_results: [{ success: true }] });
});

t.test('a link stays open if the jobs for its node cannot be read, and they arrive once they can', async (t) => {
  const { api, database, peer, identity, read } = await runningTask(t, still);
  peer.cut();
  await database.db.schema.renameTable('probe_tasks', 'probe_tasks_away');
  const back = await PeerAgent.connect(t, api.url, identity, { epoch: peer.epoch });
  for (let second = 0; second < 4; second += 1) await passSecond(back);
  t.ok(back.isOpen);
  t.equal(back.jobs.length, 0);
  await database.db.schema.renameTable('probe_tasks_away', 'probe_tasks');
  await until('the task to end', async () => {
    await passSecond(back);
    return (await read()).completed_at !== null || !back.isOpen;
  });
  t.match(await read(), { status: 'completed' });
  t.ok(back.isOpen);
});

t.test('a node that is back with the job still running is not given it twice', async (t) => {
  const { api, peer, identity, nodeTaskId, waitForEnd } = await runningTask(t, still);
  peer.cut();
  const back = await PeerAgent.connect(t, api.url, identity, {
    epoch: peer.epoch,
    runningTaskIds: [nodeTaskId],
    isAnswering: false,
  });
  const marker = await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:2', node_id: identity.nodeId } });
  await until('the marker job', () => back.jobs.length > 0);
  t.strictSame(
    back.jobs.map(({ taskId }) => taskId),
    marker.body.data.task_ids,
  );
  back.sendResults([successOf(nodeTaskId, 'tcp')], 1);
  t.match(await waitForEnd(), { status: 'completed' });
});

t.test(
  'a task that the previous process has measured is not given to a new one, however long its result takes',
  async (t) => {
    const { api, database, peer, identity, nodeTaskId, waitForEnd } = await runningTask(t, still);
    peer.cut();
    const back = await PeerAgent.connect(t, api.url, identity, {
      bootId: 'boot-2',
      epoch: peer.epoch,
      last: 1,
      isAnswering: false,
    });
    for (const round of [1, 2]) {
      // a sweep has run by the time this task has ended
      const { body } = await api.call('POST', '/v1/probe/tcp', {
        body: { target: `127.0.0.1:${round}`, node_id: identity.nodeId },
      });
      await database
        .db('probe_node_tasks')
        .whereIn('id', body.data.task_ids)
        .update({ expires_at: new Date(0) });
      await until('the task to end', async () => {
        await passSecond(back);
        return (await api.call('GET', `/v1/probe/tasks/${body.data.task_id}`)).body.data.status === 'failed';
      });
    }
    t.notOk(
      back.jobs.some(({ taskId }) => taskId === nodeTaskId),
      'not given to it',
    );
    back.sendResults([successOf(nodeTaskId, 'tcp')], 1);
    const task = await waitForEnd();
    t.match(task, { status: 'completed', node_results: [{ success: true }] });
    t.equal(task.node_results[0].late, undefined);
  },
);

t.test('a new process of the agent ends at once the tasks that it neither runs nor holds', async (t) => {
  const { api, peer, identity, waitForEnd } = await runningTask(t, live);
  await PeerAgent.connect(t, api.url, identity, { bootId: 'boot-2', epoch: peer.epoch });
  t.match(await waitForEnd(), { status: 'failed', node_results: [{ error: { code: 'node_lost' } }] });
});

t.test('a new process that still holds the result delivers it before anything is given up', async (t) => {
  const { api, peer, identity, nodeTaskId, waitForEnd } = await runningTask(t, live);
  const back = await PeerAgent.connect(t, api.url, identity, {
    bootId: 'boot-2',
    epoch: peer.epoch,
    last: 1,
    isAnswering: false,
  });
  back.sendResults([successOf(nodeTaskId, 'tcp')], 1);
  t.match(await waitForEnd(), { status: 'completed', node_results: [{ success: true, late: undefined }] });
});

t.test(
  'a process whose first link ended before it delivered gets no task that the previous process measured',
  async (t) => {
    const { api, peer, identity, nodeTaskId, waitForEnd } = await runningTask(t, still);
    const process = { bootId: 'boot-2', epoch: peer.epoch, last: 1, isAnswering: false };
    const first = await PeerAgent.connect(t, api.url, identity, process);
    first.cut();
    const back = await PeerAgent.connect(t, api.url, identity, process);
    const marker = await api.call('POST', '/v1/probe/tcp', {
      body: { target: '127.0.0.1:2', node_id: identity.nodeId },
    });
    await until('the marker job', () => back.jobs.length > 0);
    t.strictSame(
      back.jobs.map(({ taskId }) => taskId),
      marker.body.data.task_ids,
    );
    back.sendResults([successOf(nodeTaskId, 'tcp')], 1);
    t.match(await waitForEnd(), { status: 'completed', node_results: [{ success: true }] });
  },
);

t.test('a real result within ten minutes of node_lost replaces it and is marked late', async (t) => {
  const { api, peer, identity, nodeTaskId, waitForEnd, read } = await runningTask(t, live);
  peer.cut();
  t.equal((await waitForEnd()).status, 'failed');
  const back = await PeerAgent.connect(t, api.url, identity, { epoch: peer.epoch, last: 1, isAnswering: false });
  back.sendResults([successOf(nodeTaskId, 'tcp')], 1);
  await back.waitFor('the acknowledgement', (frame) => frame.ack?.mark === 1);
  t.match(await read(), {
    status: 'completed',
    node_results: [{ success: true, late: true }],
    summary: { success_count: 1, fail_count: 0 },
  });
});

t.test('a later real result is kept as superseded and changes nothing', async (t) => {
  const { api, peer, identity, nodeTaskId, waitForEnd, read, database } = await runningTask(t, live);
  peer.cut();
  await waitForEnd();
  await database.db.raw(`UPDATE probe_node_tasks SET finished_at = now() - interval '11 minutes'`);
  const back = await PeerAgent.connect(t, api.url, identity, { epoch: peer.epoch, last: 1, isAnswering: false });
  back.sendResults([successOf(nodeTaskId, 'tcp')], 1);
  await back.waitFor('the acknowledgement', (frame) => frame.ack?.mark === 1);
  t.equal((await read()).status, 'failed');
  t.equal((await database.db.raw('SELECT count(*) FROM superseded_results')).rows[0].count, 1);
});

t.test('a task that no node answered ends long after its time, even if the node is still linked', async (t) => {
  const { database, waitForEnd } = await runningTask(t, live);
  await database.db.raw('UPDATE probe_node_tasks SET expires_at = now()');
  t.match(await waitForEnd(), { status: 'failed', node_results: [{ error: { code: 'timeout' } }] });
});

t.test('a job whose message between replicas was lost is sent nevertheless', async (t) => {
  const { database, peer, taskId: first, nodeTaskId: firstNode } = await runningTask(t, live, { isAnswering: true });
  // stored by a replica that could not announce it any more
  const now = Date.now();
  const [taskId, nodeTaskId] = [newId(idPrefixes.probeTask, now), newId(idPrefixes.probeTask, now)].sort();
  await database.db.raw(
    `INSERT INTO probe_tasks (id, probe_type, target, spec, created_at)
     SELECT ?, probe_type, target, spec, now() - interval '2 seconds' FROM probe_tasks WHERE id = ?`,
    [taskId ?? '', first],
  );
  await database.db.raw(
    `INSERT INTO probe_node_tasks (id, task_id, node_id, probe_type, expires_at)
     SELECT ?, ?, node_id, probe_type, expires_at FROM probe_node_tasks WHERE id = ?`,
    [nodeTaskId ?? '', taskId ?? '', firstNode],
  );
  await until('the second job', () => peer.jobs.length === 2);
  t.equal(peer.jobs[1]?.taskId, nodeTaskId);
});

t.test('a waiting caller gets a task that is given up at once, without polling', async (t) => {
  const clock = new FakeClock(Date.now());
  const { database, waitForEnd } = await runningTask(t, await startStack(t, {}, clock));
  const before = clock.pendingTimers;
  const waiting = waitForEnd();
  await until('the reader to wait', () => clock.pendingTimers > before);
  await database.db('probe_node_tasks').update({ expires_at: new Date(0) });
  // the sweep is due, the reader is not
  clock.advance(1_000);
  t.match(await within('the end', waiting), {
    status: 'failed',
    node_results: [{ error: { code: 'timeout' } }],
  });
});
