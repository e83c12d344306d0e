import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import t from 'tap';
import { startStack } from './_support/stack.js';
import { insertNode } from './_support/stored-node.js';

const { api, database, controlPlane } = await startStack(t);
const { db } = database;
const { services } = controlPlane;
const nodeIds = [await insertNode(db, { city: 'Berlin' }), await insertNode(db)];
await services.nodes.directory.refresh(nodeIds);

const spec = { target: 'example.com', params: { record_type: 'A', transport: 'udp' } };
const reader = { viewer: { ownerId: null, isAdmin: false, isTest: false }, locale: 'en' } as const;

/** A result of 130 KB, with an address of its own. */
function resultOf(address: string) {
  const blank: object = failedResult('dns', spec as never, { code: 'timeout', message: 'late' });
  const run = { started_at: new Date().toISOString(), duration_ms: 1, disturbed: false, loop_lag_ms: 0 };
  const record = { name: 'n'.repeat(60), type: 'A', class: 'IN', ttl: 60, value: address };
  const records = Array.from({ length: 1000 }, () => record);
  return { ...blank, success: true, error: null, rcode: 'NOERROR', records, ...run };
}

/** A task without an owner on these nodes, of which only the first has ended. */
async function insertTask(nodeIds: readonly string[]) {
  const now = Date.now();
  const [id = '', ...nodeTaskIds] = Array.from({ length: nodeIds.length + 1 }, () =>
    newId(idPrefixes.probeTask, now),
  ).sort();
  await db('probe_tasks').insert({ id, probe_type: 'dns', target: spec.target, spec, created_at: new Date() });
  const rows = nodeIds.map((node, index) => ({
    id: nodeTaskIds[index],
    task_id: id,
    node_id: node,
    probe_type: 'dns',
    expires_at: new Date(now + 600_000),
  }));
  await db('probe_node_tasks').insert(rows);
  const finish = (index: number, address: string) =>
    db('probe_node_tasks')
      .where({ id: nodeTaskIds[index] })
      .update({ state: 'done', result: JSON.stringify(resultOf(address)), success: true, finished_at: new Date() });
  await finish(0, '192.0.2.1');
  return { id, finish };
}

t.test('a running report of large results is built once until a result or the report changes', async (t) => {
  const { id: taskId, finish } = await insertTask(nodeIds);
  await finish(1, '192.0.2.2');
  const id = newId(idPrefixes.diagnoseReport);
  const later = new Date(Date.now() + 600_000);
  const times = { created_at: new Date(), ends_at: later, due_at: later };
  const fields = { target: spec.target, scope: ['dns', 'ping'], node_ids: nodeIds, tasks: { dns: [taskId] } };
  await db('diagnose_reports').insert({
    id,
    ...fields,
    ...times,
    shared: true,
    is_test: false,
    cost: 0,
    status: 'running',
  });
  const findings = async () => (await services.diagnose.get(id, reader)).sections.dns;
  t.match(await findings(), { status: 'running' }, 'the audit of the zone is missing');
  await db('diagnose_reports')
    .where({ id })
    .update({ ends_at: new Date(0) });
  const first = await findings();
  t.match(first, { status: 'completed' }, 'the change is seen at once');
  t.equal((await findings())?.facts, first?.facts, 'the same facts, not equal ones');
  t.equal((await services.diagnose.findShared(id, 'zh-CN'))?.sections.dns?.facts, first?.facts, 'for all readers');
});

t.test('a task of megabytes is read whole, a few results at a time', async (t) => {
  const [first = '', second = ''] = nodeIds;
  const { id, finish } = await insertTask([first, second, first, second, first, second, first]);
  for (let index = 1; index < 6; index += 1) await finish(index, `192.0.2.${index + 1}`);
  const { node_results: results, status } = await services.probes.get(id, reader.viewer);
  const addresses = results.map((result) => (result['records'] as { value: string }[]).at(-1)?.value);
  t.strictSame(addresses, ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5', '192.0.2.6']);
  t.equal(status, 'running', 'the last node has not ended');
});

t.test('the view of a large task is built once until the task, or what it shows of a node, changes', async (t) => {
  const { id, finish } = await insertTask(nodeIds);
  const get = () => services.probes.get(id, reader.viewer);
  const first = await get();
  t.equal(await get(), first);
  t.equal(await services.probes.data(first), await services.probes.data(first), 'its JSON is written once');
  t.equal((await services.probes.share(id)).task, first, 'its page shows the same view');
  const shown = async () => (await api.call('GET', `/v1/probe/tasks/${id}`)).body.data;
  t.strictSame(await shown(), JSON.parse(JSON.stringify(first)));

  await finish(1, '192.0.2.2');
  const second = await get();
  t.match([first.status, second.status], ['running', 'completed']);
  t.equal(second.node_results.length, 2);
  t.equal(await get(), second);
  t.strictSame(await shown(), JSON.parse(JSON.stringify(second)), 'the change is seen at once');

  await db('nodes').where({ id: nodeIds[0] }).update({ visibility: 'private' });
  await services.nodes.directory.refresh(nodeIds);
  t.match([(await get()).node_results[0]?.node.city, second.node_results[0]?.node.city], [null, 'Berlin']);
  await db('probe_tasks').where({ id }).delete();
  t.match(await api.call('GET', `/v1/probe/tasks/${id}`), { status: 404 });
});
