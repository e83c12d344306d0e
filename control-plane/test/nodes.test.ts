import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

/** Names of the nodes a list shows, in its order. */
async function names(api: TestApi, query: string, as?: string | null): Promise<string[]> {
  const { status, body } = await api.call('GET', `/v1/nodes${query}`, as === undefined ? {} : { as });
  if (status !== 200) throw new Error(`${query}: ${JSON.stringify(body)}`);
  return body.data.items.map(({ name }: { name: string }) => name);
}

/** Three public nodes: `berlin` is online, `paris` and `nowhere` are not. */
async function threeNodes(t: Test) {
  const stack = await startStack(t);
  const berlin = await enrollPeer(stack.api, {
    name: 'berlin',
    declared: {
      country: 'DE',
      province: 'DE-BE',
      city: 'Berlin',
      asn: 3320,
      provider: 'Hetzner',
      tags: ['SSD', 'eyeball'],
    },
  });
  const paris = await enrollPeer(stack.api, {
    name: 'paris',
    declared: { country: 'fr', asn: 3215 },
    capabilities: [],
  });
  await enrollPeer(stack.api, { name: 'nowhere', capabilities: [] });
  const peer = await PeerAgent.connect(t, stack.api.url, berlin);
  await until('berlin to be online', async () => (await names(stack.api, '?status=online')).length === 1);
  return { ...stack, berlin, paris, peer };
}

// three nodes, to which no test adds one that others see
const { api, controlPlane, database, berlin, paris, peer } = await threeNodes(t);

t.test('the list of nodes can be narrowed by every filter, alone and together', async (t) => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['', ['nowhere', 'paris', 'berlin']],
    ['?country=DE', ['berlin']],
    ['?country=fr', ['paris']],
    ['?country=AT', []],
    ['?region=western%20EUROPE', ['paris', 'berlin']],
    ['?region=Europe', []],
    ['?asn=3215', ['paris']],
    ['?provider=hetzner', ['berlin']],
    ['?tag=ssd', ['berlin']],
    ['?tag=SSD', ['berlin']],
    ['?capability=icmp', ['berlin']],
    ['?capability=telepathy', []],
    ['?status=online', ['berlin']],
    ['?status=offline', ['nowhere', 'paris']],
    ['?status=banned', []],
    ['?region=Western%20Europe&asn=3320&status=online', ['berlin']],
    ['?country=DE&asn=3215', []],
    ['?colour=blue', ['nowhere', 'paris', 'berlin']],
  ];
  for (const [query, expected] of cases) t.strictSame(await names(api, query, null), expected, query || 'no filter');
  for (const query of [
    '?country=Germany',
    '?asn=0',
    '?asn=AS3320',
    '?status=asleep',
    '?country=DE&country=FR',
    '?tag=%00',
  ]) {
    t.equal((await api.call('GET', `/v1/nodes${query}`)).status, 400, query);
  }
});

t.test('a list comes in pages, newest first, sized by page_size or limit', async (t) => {
  const page = async (query: string) => {
    const { status, body } = await api.call('GET', `/v1/nodes${query}`);
    return {
      status,
      names: body.data?.items.map(({ name }: { name: string }) => name),
      pagination: body.meta?.pagination,
      details: body.error?.details,
    };
  };
  t.match(await page('?page_size=2'), {
    names: ['nowhere', 'paris'],
    pagination: { page: 1, page_size: 2, total: 3, has_more: true },
  });
  t.match(await page('?page_size=2&page=2'), { names: ['berlin'], pagination: { page: 2, total: 3, has_more: false } });
  t.match(await page('?page=9'), { names: [], pagination: { page: 9, page_size: 20, total: 3, has_more: false } });
  t.match(await page('?limit=1'), { names: ['nowhere'], pagination: { page_size: 1, total: 3, has_more: true } });
  t.match(await page('?limit=1&page_size=1&page=3'), { names: ['berlin'] });
  t.match(await page('?limit=1&page_size=2'), { status: 400, details: { limit: [{ code: 'conflict' }] } });
  for (const query of [
    'page=0',
    'page_size=0',
    'page_size=201',
    'limit=201',
    'limit=1.5',
    'page=99999999999999999999',
  ]) {
    t.equal((await page(`?${query}`)).status, 400, query);
  }
});

t.test(
  'a public record shows the place and abilities of a node, and never its address, owner or version',
  async (t) => {
    await database.db('nodes').where({ id: berlin.nodeId }).update({ latitude: 52.5163, longitude: 13.3777 });
    const read = async () => (await api.call('GET', `/v1/nodes/${berlin.nodeId}`, { as: null })).body.data;
    await until('the record to be read again', async () => (await read()).lat !== null);
    const record = await read();
    const since = record.since;
    t.strictSame(record, {
      id: berlin.nodeId,
      name: 'berlin',
      country: 'DE',
      province: 'DE-BE',
      region: 'Western Europe',
      city: 'Berlin',
      lat: 52.5,
      lon: 13.4,
      asn: 3320,
      isp: null,
      provider: 'Hetzner',
      status: 'online',
      tags: ['eyeball', 'ssd'],
      capabilities: ['icmp', 'icmp_echo'],
      since,
      uptime_percent_30d: null,
      location_source: 'declared',
    });
    t.match(since, /^\d{4}-.*Z$/);
  },
);

t.test('a node of a user is private: listed for its owner and for administrators, and unknown to others', async (t) => {
  const owner = await createUserApi(controlPlane, 'owner@test.example', 'user');
  const stranger = await createUserApi(controlPlane, 'stranger@test.example', 'user');
  const { nodeId } = await enrollPeer(owner, { name: 'home' });
  t.strictSame(await names(api, ''), ['home', 'nowhere', 'paris', 'berlin'], 'admins');
  t.strictSame(await names(owner, ''), ['home', 'nowhere', 'paris', 'berlin']);
  t.strictSame(await names(stranger, ''), ['nowhere', 'paris', 'berlin']);
  t.strictSame(await names(api, '', null), ['nowhere', 'paris', 'berlin']);
  t.equal((await owner.call('GET', `/v1/nodes/${nodeId}`)).status, 200);
  for (const as of [stranger.token, null]) {
    const { status, body } = await api.call('GET', `/v1/nodes/${nodeId}`, { as });
    t.match({ status, code: body.error.code }, { status: 404, code: 'NODE_NOT_FOUND' });
  }
  await owner.call('DELETE', `/v1/account/nodes/${nodeId}`);
});

t.test(
  'a banned node is shown to administrators alone, with the reason, and an audit row names who banned it',
  async (t) => {
    const user = await createUserApi(controlPlane, 'user@test.example', 'user');
    const ban = (id: string, body: unknown = { reason: 'spam' }) =>
      api.call('POST', `/v1/admin/nodes/${id}/ban`, { body });
    const banned = await ban(paris.nodeId);
    t.match(banned.body.data, { id: paris.nodeId, status: 'banned', ban_reason: 'spam' });
    t.strictSame(await names(api, '?status=banned'), ['paris']);
    for (const as of [user.token, null]) {
      t.strictSame(await names(api, '', as), ['nowhere', 'berlin']);
      t.strictSame(await names(api, '?status=banned', as), []);
      t.equal((await api.call('GET', `/v1/nodes/${paris.nodeId}`, { as })).status, 404);
    }
    t.match((await ban('n_1111111111111111111111')).body.error, { code: 'NODE_NOT_FOUND' });
    t.equal((await ban(paris.nodeId, {})).status, 400, 'a ban needs its reason');
    t.equal((await ban(paris.nodeId, { reason: '' })).status, 400);
    const unbanned = await api.call('POST', `/v1/admin/nodes/${paris.nodeId}/unban`);
    t.match(unbanned.body.data, { status: 'offline', ban_reason: undefined });
    t.match((await api.call('POST', '/v1/admin/nodes/n_1111111111111111111111/unban')).body.error, {
      code: 'NODE_NOT_FOUND',
    });
    const rows = await database
      .db('audit_log')
      .where({ subject: paris.nodeId })
      .whereNot({ action: 'node.enrolled' })
      .orderBy('id');
    t.match(rows, [
      {
        action: 'node.banned',
        user_id: api.userId,
        credential_id: /^pat_/,
        details: { reason: 'spam' },
        request_id: banned.body.request_id,
      },
      { action: 'node.unbanned', user_id: api.userId, request_id: unbanned.body.request_id },
    ]);
  },
);

t.test('a list or node that a caller already has is not sent again until it changes', async (t) => {
  const { nodeId } = paris;
  for (const path of ['/v1/nodes', `/v1/nodes/${nodeId}`]) {
    const first = await fetch(`${api.url}${path}`);
    const etag = first.headers.get('etag') ?? '';
    t.match(etag, /^W\//, path);
    const again = async () => (await fetch(`${api.url}${path}`, { headers: { 'If-None-Match': etag } })).status;
    t.equal(await again(), 304);
    t.equal((await api.call('POST', `/v1/admin/nodes/${nodeId}/ban`, { body: { reason: 'x' } })).status, 200);
    t.equal(await again(), path === '/v1/nodes' ? 200 : 404);
    t.equal((await api.call('POST', `/v1/admin/nodes/${nodeId}/unban`)).status, 200);
  }
});

t.test('results of a node’s self-test are kept, and shown to its owner and to administrators alone', async (t) => {
  const checks = [
    { name: 'ipv6', status: 'failed', detail: 'no route\u0000 at all' },
    { name: 'telepathy', status: 'ok', detail: 'of a later version' },
    { name: 'clock', status: 'excellent', detail: 'no such word' },
  ];
  peer.send({ heartbeat: { sequence: 1, transmitMs: 1, selfTest: { finishedAtMs: 86_400_000, checks } } });
  const read = async (as?: null) =>
    (await api.call('GET', `/v1/nodes/${berlin.nodeId}`, as === undefined ? {} : { as })).body.data;
  await until('the report to be stored', async () => (await read()).self_test !== undefined);
  t.same((await read()).self_test, {
    finished_at: '1970-01-02T00:00:00.000Z',
    checks: [{ name: 'ipv6', status: 'failed', detail: 'no route  at all' }],
  });
  t.equal((await read(null)).self_test, undefined);
});
