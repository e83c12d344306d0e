import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { becomes, read } from './_support/heartbeats.js';
import { keepEvents, monitorEvents } from './_support/kept-events.js';
import { startStack } from './_support/stack.js';

const { api, database } = await startStack(t);
const { db } = database;
await keepEvents(db);
const node = await CheckingNode.join(t, api);

/** A monitor with one node, and the actions on it. */
async function started(name: string) {
  const body = { name, type: 'tcp', target: '127.0.0.1:9' };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  await node.waitForAssignment(id);
  const act = async (verb: string) => (await api.call('POST', `/v1/monitors/${id}/${verb}`)).body.data;
  return { id, act };
}

t.test(
  'an archived monitor is not checked, its event ends and its history stays; resuming brings it back',
  async (t) => {
    const { id, act } = await started('Archived');
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
  'setting a monitor’s present status changes nothing; each change is one event and one line of the audit log',
  async (t) => {
    const { id, act } = await started('Changed');
    const verbs = ['resume', 'pause', 'pause', 'archive', 'archive', 'pause', 'resume', 'resume', 'archive', 'resume'];
    for (const verb of verbs) t.equal((await act(verb)).id, id);
    const changes = ['paused', 'archived', 'paused', 'resumed', 'archived', 'resumed'].map((act) => `monitor.${act}`);
    t.strictSame(await monitorEvents(db).where({ subject: id }).pluck('kind'), changes);
    t.strictSame(
      await db('audit_log')
        .where({ subject: id })
        .whereNot({ action: 'monitor.created' })
        .orderBy('id')
        .pluck('action'),
      changes,
    );
  },
);

t.test('a deletion is published once, with the deleted monitor, by the transaction that deletes it', async (t) => {
  const { id } = await started('Deleted');
  const { name, type, target } = await read(api, id);
  t.equal((await api.call('DELETE', `/v1/monitors/${id}`)).status, 200);
  t.equal((await api.call('DELETE', `/v1/monitors/${id}`)).status, 404);
  t.match(await monitorEvents(db).where({ subject: id }), [
    { kind: 'monitor.deleted', subject: id, owner_id: api.userId, payload: { monitor: { id, name, type, target } } },
  ]);
  t.equal((await db('audit_log').where({ action: 'monitor.deleted', subject: id })).length, 1);
});
