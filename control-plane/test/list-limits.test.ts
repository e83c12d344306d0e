import t from 'tap';
import { startStack } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';
import { insertNode } from './_support/stored-node.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly maximum?: number };
}

const sizes = new Set(['limit', 'page_size']);

t.test('every list accepts the documented number of items, and names the parameter that exceeds it', async (t) => {
  const { api, database } = await startStack(t);
  const { id: monitorId } = await insertMonitor(database.db, [], {
    owner_id: api.userId,
    node_selection: '{"limit":3,"spread":"asn"}',
  });
  const body = { url: 'http://127.0.0.1:8099/', events: ['*'] };
  const webhook = (await api.call('POST', '/v1/webhooks', { body })).body.data.endpoint;
  const job = { name: 'Job', type: 'heartbeat', config: {} };
  const heartbeatId = (await api.call('POST', '/v1/monitors', { body: job })).body.data.id;
  const nodeId = await insertNode(database.db, {});
  const rollout = (await api.call('POST', '/v1/admin/rollouts', { body: { version: '0.2.0' } })).body.data;
  const ids: Readonly<Record<string, string>> = {
    '/v1/webhooks/': webhook.id,
    '/v1/monitors/': monitorId,
    '/v1/admin/nodes/': nodeId,
    '/v1/admin/rollouts/': rollout.id,
  };
  const { paths, components } = (await api.call('GET', '/v1/openapi.json', { as: null })).body;
  // a parameter that many operations share is written once
  const whole = (one: Parameter | { $ref: string }): Parameter =>
    '$ref' in one ? components.parameters[one.$ref.replace('#/components/parameters/', '')] : one;
  let lists = 0;
  for (const [path, { get }] of Object.entries<{ get?: { parameters?: (Parameter | { $ref: string })[] } }>(paths)) {
    const named = (get?.parameters ?? []).map(whole);
    const parameters = named.filter(({ name, in: place }) => place === 'query' && sizes.has(name));
    if (parameters.length > 0) lists += 1;
    const [prefix = ''] = path.split('{');
    const place = path.replace('{id}', path.endsWith('/pings') ? heartbeatId : (ids[prefix] ?? 'unknown'));
    for (const { name, schema } of parameters) {
      const { maximum = 0 } = schema;
      const most = await api.call('GET', `${place}?${name}=${maximum}`);
      t.equal(most.status, 200, `${path}: ${name}=${maximum}: ${JSON.stringify(most.body.error)}`);
      const more = await api.call('GET', `${place}?${name}=${maximum + 1}`);
      t.equal(more.status, 400, `${path}: ${name}=${maximum + 1}`);
      t.strictSame(Object.keys(more.body.error?.details ?? {}), [name], `${path}: ${name}=${maximum + 1}`);
    }
  }
  t.ok(lists >= 15, `${lists} lists`);
});
