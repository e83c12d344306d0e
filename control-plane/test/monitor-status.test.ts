import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { becomes, read } from './_support/heartbeats.js';
import { startStack } from './_support/stack.js';
import { until } from './_support/until.js';

/** A monitor with one node, and what is done to it. */
async function started(test: typeof t) {
  const { api, database } = await startStack(test as never);
  const node = await CheckingNode.join(test as never, api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9' };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  const act = async (verb: string) => (await api.call('POST', `/v1/monitors/${id}/${verb}`)).body.data;
  return { api, db: database.db, node, id, act };
}

t.test(
  'an archived monitor is not checked, its event is over and its history stays; resuming brings it back',
  async (t) => {
    const { api, node, id, act } = await started(t as never);
    node.check(id, 'failed');
    await becomes(api, id, 'down');
    t.same(await act('archive'), { id, status: 'archived' });
    await until('the node to drop it', () => !node.assignments.has(id));
    t.match(await read(api, id), { status: 'archived', current_status: 'unknown', next_check_at: null });
    const { items } = (await api.call('GET', `/v1/monitors/${id}/events`)).body.data;
    t.match(items, [{ type: 'down', ended_at: String }]);
    t.equal((await api.call('GET', `/v1/monitors/${id}/checks`)).body.data.length, 1);
    t.equal((await api.call('POST', `/v1/monitors/${id}/test`)).body.error.code, 'MONITOR_PAUSED');
    t.same(await act('resume'), { id, status: 'active' });
    await node.waitForAssignment(id);
    t.match(await read(api, id), { status: 'active', current_status: 'unknown' });
    node.check(id);
    await becomes(api, id, 'up');
  },
);

t.test(
  'what a monitor is already it stays, and others hear only of those that begin or cease to be checked',
  async (t) => {
    const { db, id, act } = await started(t as never);
    const verbs = ['resume', 'pause', 'pause', 'archive', 'archive', 'pause', 'resume', 'resume', 'archive', 'resume'];
    for (const verb of verbs) t.equal((await act(verb)).id, id);
    const told = ['monitor.paused', 'monitor.resumed', 'monitor.paused', 'monitor.resumed'];
    t.strictSame(await db('outbox').orderBy('id').pluck('kind'), told);
    t.strictSame(
      await db('audit_log')
        .where({ subject: id })
        .whereNot({ action: 'monitor.created' })
        .orderBy('id')
        .pluck('action'),
      ['paused', 'archived', 'paused', 'resumed', 'archived', 'resumed'].map((act) => `monitor.${act}`),
    );
  },
);
