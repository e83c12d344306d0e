import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const tcp = { type: 'tcp', target: '127.0.0.1' };
const site = 'https://127.0.0.1/';

async function make(api: TestApi, fields: object) {
  const { status, body } = await api.call('POST', '/v1/monitors', { body: fields });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

t.test('a synonym of a field or a type is accepted and shown as the canonical name', async (t) => {
  const { api } = await startStack(t);
  await CheckingNode.join(t, api);
  const node_selection = { limit: 2, spread: 'country' };
  const shown = { type: 'tcp', interval_s: 300, config: { port: 9 }, node_selection, node_count: 2 };
  const { limit: node_count, ...elsewhere } = node_selection;
  const ways: readonly object[] = [
    { interval_s: 300, config: { port: 9 }, node_selection },
    { type: 'tcping', interval_sec: 300, params: { port: 9 }, nodes: node_selection },
    {
      interval_s: 300,
      interval_sec: 300,
      config: { port: 9 },
      params: { port: 9 },
      node_selection,
      nodes: node_selection,
    },
    { interval_s: 300, config: { port: 9 }, node_selection: elsewhere, node_count },
  ];
  for (const [index, way] of ways.entries()) {
    const made = await make(api, { name: `Shop ${index}`, ...tcp, ...way });
    t.match(made, shown, JSON.stringify(way));
    for (const name of ['interval_sec', 'params', 'nodes']) t.notOk(name in made, name);
  }
  const { id } = await make(api, { name: 'Changed', ...tcp, config: { port: 8 } });
  const body = { interval_sec: 300, params: { port: 9 }, nodes: node_selection };
  t.match((await api.call('PATCH', `/v1/monitors/${id}`, { body })).body.data, shown);
  for (const [type, canonical] of [
    ['ssl', 'ssl_expiry'],
    ['domain', 'domain_expiry'],
  ] as const)
    t.equal((await make(api, { name: type, type, target: 'example.com' })).type, canonical);
});

// Default intervals by type: under the plan that permits everything, and under one with a minimum of 300 s.
const standards: readonly { type: string; target: string; config?: object; seconds: number; planned: number }[] = [
  { type: 'https', target: site, seconds: 60, planned: 300 },
  { type: 'keyword', target: site, config: { keyword: 'x' }, seconds: 60, planned: 300 },
  { type: 'tcp', target: '127.0.0.1:9', seconds: 60, planned: 300 },
  { type: 'ping', target: '127.0.0.1', seconds: 60, planned: 300 },
  { type: 'dns', target: 'example.com', seconds: 60, planned: 300 },
  { type: 'ssl_expiry', target: '127.0.0.1', seconds: 1800, planned: 1800 },
  { type: 'domain_expiry', target: 'example.com', seconds: 1800, planned: 1800 },
  { type: 'icp', target: 'example.com', seconds: 1800, planned: 1800 },
  { type: 'rbl', target: '127.0.0.1', seconds: 1800, planned: 1800 },
];

t.test('a monitor without an interval gets its type’s default, 60 s or the minimum of the plan', async (t) => {
  const { api, controlPlane, database } = await startStack(t, {
    VANTAGE_PLANS: '{"free": {"min_interval_s": 300}}',
  });
  await CheckingNode.join(t, api);
  const planned = await createUserApi(controlPlane, 'free@test.example', 'user');
  await database.db('owners').where({ id: planned.userId }).update({ plan: 'free' });
  await database.db('users').where({ id: planned.userId }).update({ email_verified_at: new Date() });
  for (const { seconds, planned: least, ...body } of standards) {
    t.equal((await make(api, { name: body.type, ...body })).interval_s, seconds, body.type);
    t.equal((await make(planned, { name: body.type, ...body })).interval_s, least, body.type);
  }
});
