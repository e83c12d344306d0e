import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { type Declared, enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { runProbe } from './_support/probes.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const places: Readonly<Record<string, Declared>> = {
  berlin: { country: 'DE', city: 'Berlin', asn: 3320, provider: 'Acme', tags: ['ssd', 'v6'] },
  frankfurt: { country: 'DE', city: 'Frankfurt', asn: 24940, provider: 'Hetzner', tags: ['ssd'] },
  paris: { country: 'FR', city: 'Paris', asn: 16276, provider: 'OVH', tags: ['hdd'] },
  ashburn: { country: 'US', city: 'Ashburn', asn: 7922, provider: 'Acme', tags: ['hdd'] },
  tokyo: { country: 'JP', city: 'Tokyo', asn: 2516, provider: 'KDDI', tags: ['v6'] },
};

/** Links a node that answers every job; resolves with its id when it is shown as online. */
async function addNode(
  t: Test,
  api: TestApi,
  name: string,
  declared: Declared = {},
  capabilities = ['icmp', 'icmp_echo'],
) {
  const identity = await enrollPeer(api, { name, declared, capabilities });
  const peer = await PeerAgent.connect(t, api.url, identity, { capabilities });
  await until('the node to be online', async () => {
    const { body } = await api.call('GET', `/v1/nodes/${identity.nodeId}`);
    return body.data.status === 'online';
  });
  return { id: identity.nodeId, peer };
}

async function network(t: Test) {
  const { api, controlPlane } = await startStack(t);
  const ids: Record<string, string> = {};
  for (const [name, declared] of Object.entries(places)) ids[name] = (await addNode(t, api, name, declared)).id;
  const nameOf = (id: string) => Object.keys(ids).find((name) => ids[name] === id) ?? id;
  /** Nodes that a probe with this selection ran on, sorted by name. */
  const ranOn = async (nodes: object, caller = api): Promise<string[]> => {
    const task = await runProbe(caller, 'tcp', { target: '127.0.0.1:1', nodes });
    return task.node_results.map(({ node_id }: { node_id: string }) => nameOf(node_id)).sort();
  };
  return { api, controlPlane, ids, ranOn };
}

const { ids, ranOn } = await network(t);

t.test('a selection runs on the nodes that match every field by any of its values', async (t) => {
  const cases: readonly { selection: object; expected: readonly string[] }[] = [
    { selection: { countries: ['DE'] }, expected: ['berlin', 'frankfurt'] },
    { selection: { countries: ['de', 'FR'] }, expected: ['berlin', 'frankfurt', 'paris'] },
    { selection: { asns: [3320, 2516] }, expected: ['berlin', 'tokyo'] },
    { selection: { regions: ['Western Europe'] }, expected: ['berlin', 'frankfurt', 'paris'] },
    { selection: { tags: ['SSD'] }, expected: ['berlin', 'frankfurt'] },
    { selection: { tags: ['ssd', 'v6'] }, expected: ['berlin', 'frankfurt', 'tokyo'] },
    { selection: { providers: ['acme'] }, expected: ['ashburn', 'berlin'] },
    { selection: { cities: ['tokyo', 'Paris'] }, expected: ['paris', 'tokyo'] },
    { selection: { providers: ['Acme'], countries: ['DE'] }, expected: ['berlin'] },
    { selection: { node_ids: [ids['paris'], ids['tokyo']], tags: ['v6'] }, expected: ['tokyo'] },
    { selection: { countries: ['DE', 'FR'], exclude_node_ids: [ids['berlin']] }, expected: ['frankfurt', 'paris'] },
    { selection: { limit: 50 }, expected: ['ashburn', 'berlin', 'frankfurt', 'paris', 'tokyo'] },
    { selection: { countries: ['DE'], limit: 50 }, expected: ['berlin', 'frankfurt'] },
  ];
  for (const { selection, expected } of cases)
    t.strictSame(await ranOn(selection), expected, JSON.stringify(selection));
});

t.test('a limit is an upper bound, three by default, and a spread picks nodes that differ', async (t) => {
  t.equal((await ranOn({})).length, 3);
  t.equal((await ranOn({ limit: 4 })).length, 4);
  const isGerman = (name: string) => places[name]?.country === 'DE';
  const drawn = new Set<string>();
  for (let draw = 0; draw < 12; draw += 1) {
    const spread = await ranOn({ countries: ['DE', 'FR'], limit: 2, spread: 'country' });
    t.ok(spread.includes('paris') && spread.some(isGerman), `of different countries: ${spread.join(' and ')}`);
    drawn.add((await ranOn({ countries: ['DE', 'FR'], limit: 2, spread: 'none' })).join());
  }
  // twelve times the same of three pairs by chance: six times in a million
  t.ok(drawn.size > 1, 'nodes are drawn, not taken in order');
  t.equal(
    (await ranOn({ countries: ['DE'], limit: 2, spread: 'country' })).length,
    2,
    'a spread never lowers the count',
  );
});

t.test('a node that does not support a type of probe is not drawn for it', async (t) => {
  const { api } = await startStack(t);
  const plain = await addNode(t, api, 'plain', {}, []);
  const able = await addNode(t, api, 'able');
  const ping = await runProbe(api, 'ping', { target: '127.0.0.1' });
  t.match(ping.node_results, [{ node_id: able.id }]);
  t.equal(ping.node_results.length, 1);
  const tcp = await runProbe(api, 'ping', { target: '127.0.0.1', params: { protocol: 'tcp', port: 80 } });
  t.equal(tcp.node_results.length, 2, `a ping by TCP runs on ${plain.id} too`);
});

t.test('a private node serves its owner and administrators; for all others it does not exist', async (t) => {
  const { api, controlPlane } = await startStack(t);
  const owner = await createUserApi(controlPlane, 'owner@test.example', 'user');
  const stranger = await createUserApi(controlPlane, 'stranger@test.example', 'user');
  const shared = await addNode(t, api, 'shared', { tags: ['mine'] });
  const own = await addNode(t, owner, 'own', { tags: ['mine'] });
  const body = { target: '127.0.0.1:1', nodes: { tags: ['mine'] } };
  const idsOf = async (caller: TestApi, nodes: object) =>
    (await runProbe(caller, 'tcp', { ...body, nodes })).node_results
      .map(({ node_id }: { node_id: string }) => node_id)
      .sort();

  t.strictSame(await idsOf(owner, { tags: ['mine'] }), [shared.id, own.id].sort());
  t.strictSame(await idsOf(api, { tags: ['mine'] }), [shared.id, own.id].sort(), 'an administrator sees all');
  t.strictSame(await idsOf(stranger, { tags: ['mine'] }), [shared.id]);
  t.strictSame(await idsOf(owner, { owned: true }), [own.id]);
  t.match(await stranger.call('POST', '/v1/probe/tcp', { body: { ...body, nodes: { owned: true } } }), { status: 422 });

  for (const as of [stranger.token, null]) {
    const named = { target: '127.0.0.1:1', node_id: own.id };
    t.match(await api.call('GET', `/v1/nodes/${own.id}`, { as }), { status: 404 });
    const { items } = (await api.call('GET', '/v1/nodes', { as })).body.data;
    t.strictSame(
      items.map(({ id }: { id: string }) => id),
      [shared.id],
    );
    t.match(await api.call('POST', '/v1/probe/tcp', { as, body: named }), {
      status: 404,
      body: { error: { code: 'NODE_NOT_FOUND' } },
    });
  }
});

t.test('a named node that is offline, unknown or banned, and a selection without a match, are refused', async (t) => {
  const { api } = await startStack(t);
  const online = await addNode(t, api, 'online');
  const offline = await addNode(t, api, 'offline', { country: 'FR' });
  const banned = await addNode(t, api, 'banned');
  offline.peer.cut();
  await api.call('POST', `/v1/admin/nodes/${banned.id}/ban`, { body: { reason: 'test' } });
  await until('the node to be offline', async () => {
    const { body } = await api.call('GET', `/v1/nodes/${offline.id}`);
    return body.data.status === 'offline';
  });
  const ask = (fields: object) => api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:1', ...fields } });

  for (const fields of [{ node_id: offline.id }, { node_ids: [online.id, offline.id] }]) {
    const answer = await ask(fields);
    t.match(answer, { status: 503, body: { error: { code: 'NODE_OFFLINE' } } });
    t.match(answer.headers.get('retry-after'), /^\d+$/);
  }
  for (const id of ['n_1111111111111111111111', banned.id]) {
    for (const fields of [{ node_id: id }, { node_ids: [online.id, id] }]) {
      t.match(await ask(fields), { status: 404, body: { error: { code: 'NODE_NOT_FOUND' } } });
    }
  }
  for (const nodes of [{ countries: ['FR'] }, { asns: [64_512] }, { node_ids: [offline.id] }]) {
    t.match(await ask({ nodes }), {
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: { nodes: [{ code: 'not_found' }] } } },
    });
  }
  t.match(await ask({ node_id: online.id, nodes: { limit: 1 } }), {
    status: 400,
    body: { error: { details: { node_id: [{ code: 'conflict' }], nodes: [{ code: 'conflict' }] } } },
  });
});
