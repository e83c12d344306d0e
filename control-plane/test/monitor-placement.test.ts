import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { startReplica, startStack } from './_support/stack.js';

const tcp = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
const { api, database } = await startStack(t);
const { db } = database;

/** Makes a monitor in a country: every test has one of its own. */
async function makeMonitor(country: string, fields: object = {}): Promise<{ id: string; assigned_node_ids: string[] }> {
  const body = { ...tcp, name: `Shop in ${country}`, node_selection: { countries: [country] }, ...fields };
  const made = await api.call('POST', '/v1/monitors', { body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.data;
}

async function nodesOf(id: string): Promise<string[]> {
  return (await api.call('GET', `/v1/monitors/${id}`)).body.data.assigned_node_ids;
}

async function join(t: Test, country: string, asns: readonly number[]): Promise<CheckingNode[]> {
  const nodes: CheckingNode[] = [];
  for (const asn of asns) nodes.push(await CheckingNode.join(t, api, { country, asn }));
  return nodes;
}

t.test('nodes of one network are taken only if there are no others', async (t) => {
  const nodes = await join(t, 'AT', [1, 1, 1, 2, 3]);
  const { assigned_node_ids: chosen } = await makeMonitor('AT');
  const asns = chosen.map((id) => nodes.findIndex(({ nodeId }) => nodeId === id)).map((at) => [1, 1, 1, 2, 3][at]);
  t.same(asns.sort(), [1, 2, 3]);
});

for (const [act, country] of [
  ['drain', 'BE'],
  ['ban', 'CH'],
] as const) {
  t.test(`monitors of a node move elsewhere after a ${act}, and no others move`, async (t) => {
    const nodes = await join(t, country, [1, 2, 3, 4]);
    const { id, assigned_node_ids: before } = await makeMonitor(country);
    const [leaving, ...staying] = before;
    await api.call('POST', `/v1/admin/nodes/${leaving}/${act}`, { body: act === 'ban' ? { reason: 'test' } : {} });
    await until('another node', async () => !(await nodesOf(id)).includes(leaving ?? ''));
    const after = await nodesOf(id);
    t.equal(after.length, 3);
    t.ok(staying.every((nodeId) => after.includes(nodeId)));
    const added = nodes.find(({ nodeId }) => after.includes(nodeId) && !before.includes(nodeId));
    await added?.waitForAssignment(id);
  });
}

t.test('a node that returns after its monitor moved delivers history and drops it', async (t) => {
  const nodes = await join(t, 'DE', [1, 2]);
  const { id, assigned_node_ids: before } = await makeMonitor('DE', { node_count: 1 });
  const had = nodes.find(({ nodeId }) => before.includes(nodeId)) as CheckingNode;
  const { generation } = await had.waitForAssignment(id);
  had.check(id);
  await until('its check', async () => (await db('monitor_checks')).length === 1);
  had.peer.cut();
  const minutesAgo = new Date(Date.now() - 6 * 60_000);
  await until('the node to be gone', async () => {
    const left = await db('nodes').where({ id: had.nodeId, session_id: null }).update({ left_at: minutesAgo });
    return left === 1;
  });
  await until('another node', async () => !(await nodesOf(id)).includes(had.nodeId));
  const back = await CheckingNode.link(t, api.url, had.identity, { epoch: had.peer.epoch, bootId: 'boot-2' });
  back.deliverFrom(2, 'check', had.reportOf(id, { generation, slot_ms: Date.now() - 30_000, outcome: 'failed' }));
  await until('its second check', async () => (await db('monitor_checks')).length === 2);
  const { data } = (await api.call('GET', `/v1/monitors/${id}/checks`)).body;
  t.same(data.map(({ superseded }: { superseded: boolean }) => superseded).sort(), [false, true]);
  t.equal((await api.call('GET', `/v1/monitors/${id}/events`)).body.data.total, 0);
});

t.test('a node that left less than five minutes ago keeps its monitors, even if others could take them', async (t) => {
  const nodes = await join(t, 'ES', [1, 2, 3, 4]);
  const byNode = new Map<string, string>();
  for (let count = 0; byNode.size < 2; count += 1) {
    const { id, assigned_node_ids: on } = await makeMonitor('ES', { name: `Shop ${count}`, node_count: 1 });
    byNode.set(on[0] ?? '', id);
  }
  const [[recent = '', kept = ''] = [], [gone = '', moved = ''] = []] = [...byNode];
  for (const node of nodes) if (byNode.has(node.nodeId)) node.peer.cut();
  // at once, so that a replica that knows of one knows of the other
  await until('both to be gone', async () => {
    const left = await db.raw(
      `UPDATE nodes SET left_at = now() - CASE WHEN id = ? THEN interval '1 min' ELSE interval '6 min' END
       WHERE id = ANY(?) AND (SELECT count(*) FROM nodes WHERE id = ANY(?) AND session_id IS NULL) = 2`,
      [recent, [recent, gone], [recent, gone]],
    );
    return left.rowCount === 2;
  });
  // a replica that has read their state before reads it again
  for (const id of [recent, gone]) await api.call('PATCH', `/v1/account/nodes/${id}`, { body: { tags: ['gone'] } });
  await until('the other one to be replaced', async () => !(await nodesOf(moved)).includes(gone));
  // and when it is placed for another reason
  await db('placement_due').insert({ monitor_id: kept });
  await until('the poll', async () => (await db('placement_due').where({ monitor_id: kept })).length === 0);
  t.same(await nodesOf(kept), [recent]);
});

for (const [what, fields] of [
  ['capability', { type: 'browser', target: 'http://shop.example/' }],
  ['place', { node_selection: { countries: ['AQ'] } }],
] as const) {
  t.test(`a monitor that no node can check for lack of a ${what} is refused`, async (t) => {
    await join(t, 'FI', [1]);
    const name = `without ${what}`;
    const { status, body } = await api.call('POST', '/v1/monitors', { body: { ...tcp, name, ...fields } });
    t.equal(status, 422);
    t.match(body.error, { code: 'VALIDATION_FAILED' });
    t.same(await db('monitors').where({ name }), []);
  });
}

t.test(
  'without a substitute a node keeps its monitors, and more nodes are assigned to those with too few',
  async (t) => {
    const [only] = await join(t, 'FR', [1]);
    const { id } = await makeMonitor('FR');
    t.same(await nodesOf(id), [only?.nodeId]);
    only?.peer.cut();
    await until('the node to be gone', async () => {
      const minutesAgo = new Date(Date.now() - 6 * 60_000);
      return (await db('nodes').where({ id: only?.nodeId, session_id: null }).update({ left_at: minutesAgo })) === 1;
    });
    const [second] = await join(t, 'FR', [2]);
    await until('two nodes', async () => (await nodesOf(id)).length === 2);
    t.same((await nodesOf(id)).sort(), [only?.nodeId, second?.nodeId].sort());
  },
);

t.test('a node whose link another replica holds learns of a change at once', async (t) => {
  const second = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });
  const [first] = await join(t, 'GR', [1]);
  const node = await CheckingNode.link(t, second.listenUrl, first?.identity as CheckingNode['identity']);
  const { id } = await makeMonitor('GR');
  t.match((await node.waitForAssignment(id)).spec, { target: tcp.target });
  await api.call('POST', `/v1/monitors/${id}/pause`);
  await until('the node to drop it', () => !node.assignments.has(id));
});
