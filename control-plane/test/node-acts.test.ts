import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask, submit } from './_support/probes.js';
import { createUserApi, startReplica, startStack } from './_support/stack.js';

const code = (answer: { body: { error?: { code: string } } }) => answer.body.error?.code;

const { api, database, controlPlane } = await startStack(t);
const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });
let owners = 0;
const anOwner = () => createUserApi(controlPlane, `owner${owners++}@test.example`, 'user');

t.test('administrators list all nodes with their owners, with filters, and read the history of each', async (t) => {
  const owner = await anOwner();
  const theirs = await enrollPeer(owner, { name: 'theirs' });
  const ours = await enrollPeer(api, { name: 'ours' });
  await PeerAgent.connect(t, api.url, ours);
  const names = async (query: string) => {
    const { body } = await api.call('GET', `/v1/admin/nodes${query}`);
    return body.data.items.map(({ name }: { name: string }) => name);
  };
  await api.call('POST', `/v1/admin/nodes/${theirs.nodeId}/ban`, { body: { reason: 'spam' } });
  for (const [query, expected] of [
    ['', ['ours', 'theirs']],
    ['?status=online', ['ours']],
    ['?status=banned', ['theirs']],
    ['?status=draining', []],
    [`?user_id=${owner.userId}`, ['theirs']],
    ['?version=0.1.0', ['ours', 'theirs']],
    ['?version=9.9.9', []],
    ['?quarantined=true', []],
    ['?quarantined=false&status=banned', ['theirs']],
    ['?page_size=1&page=2', ['theirs']],
  ] as const) {
    t.same(await names(query), expected, query || 'all');
  }
  const { body } = await api.call('GET', `/v1/admin/nodes?user_id=${owner.userId}`);
  t.match(body.data.items[0], {
    owner: { user_id: owner.userId, email: 'owner0@test.example' },
    hostname: 'peer.test',
  });
  const audit = await api.call('GET', `/v1/admin/nodes/${theirs.nodeId}/audit`);
  t.match(audit.body.data.items, [
    { action: 'node.banned', actor: { user_id: api.userId }, details: { reason: 'spam' } },
    { action: 'node.enrolled', actor: { user_id: owner.userId } },
  ]);
  t.same((await api.call('GET', '/v1/admin/nodes/n_1111111111111111111111/audit')).body.data.items, []);
});

t.test('an owner sees and changes their own nodes, including banned ones, and no others', async (t) => {
  const owner = await anOwner();
  const { nodeId } = await enrollPeer(owner, { name: 'home' });
  await enrollPeer(api, { name: 'of the admin' });
  const list = async () => (await owner.call('GET', '/v1/account/nodes')).body;
  t.match(await list(), {
    data: {
      items: [{ id: nodeId, name: 'home', visibility: 'private', version: '0.1.0', connected_at: null, ban: null }],
    },
    meta: { pagination: { total: 1 } },
  });
  const path = `/v1/account/nodes/${nodeId}`;
  const change = { name: 'attic', tags: ['SSD', 'eyeball', 'ssd'], visibility: 'public' };
  t.match((await owner.call('PATCH', path, { body: change })).body.data, {
    name: 'attic',
    tags: ['eyeball', 'ssd'],
    visibility: 'public',
  });
  t.equal(
    (await api.call('GET', `/v1/nodes/${nodeId}`, { as: null })).body.data.name,
    'attic',
    'every caller may use it now',
  );
  t.match((await owner.call('PATCH', path, { body: { visibility: 'private' } })).body.data, { name: 'attic' });
  t.equal((await api.call('GET', `/v1/nodes/${nodeId}`, { as: null })).status, 404);
  for (const body of [{}, { name: '' }, { owner: 'me' }, { visibility: 'secret' }, { tags: ['a b'] }])
    t.equal((await owner.call('PATCH', path, { body })).status, 400, JSON.stringify(body));
  t.equal(
    code(await api.call('PATCH', path, { body: { name: 'mine' } })),
    'NODE_NOT_FOUND',
    'not even an administrator',
  );

  await api.call('POST', `/v1/admin/nodes/${nodeId}/ban`, { body: { reason: 'spam' } });
  t.match((await list()).data.items[0], { status: 'banned', ban: { reason: 'spam', is_quarantine: false } });
});

t.test('a deleted node loses its link on every replica, and is gone; its measurements stay', async (t) => {
  const owner = await anOwner();
  const identity = await enrollPeer(owner);
  const { nodeId } = identity;
  const peer = await PeerAgent.connect(t, other.listenUrl, identity, { isAnswering: false });
  await until('the first replica to see it online', async () => {
    return (await owner.call('GET', `/v1/nodes/${nodeId}`)).body.data?.status === 'online';
  });
  const probe = { target: '127.0.0.1:1', node_id: nodeId };
  const [measured, pending] = [await submit(owner, 'tcp', probe), await submit(owner, 'tcp', probe)];
  await peer.waitFor('the jobs', () => peer.jobs.length === 2);
  peer.sendResults([successOf(measured.taskIds[0] ?? '', 'tcp')]);
  await finishedTask(owner, measured.taskId);

  t.match(await owner.call('DELETE', `/v1/account/nodes/${nodeId}`), { status: 200, body: { data: null } });
  t.match(await peer.waitForClose(), { code: 4410, reason: 'CLOSE_DELETED' });
  t.match(peer.frames.at(-1)?.close?.message, /deleted by its owner/);
  t.equal((await (await PeerAgent.dial(t, api.url, identity)).waitForClose()).reason, 'CLOSE_DELETED', 'for good');
  t.match(await finishedTask(owner, pending.taskId), { node_results: [{ error: { code: 'node_lost' } }] });
  const kept = await finishedTask(owner, measured.taskId);
  t.match(kept, { status: 'completed', node_results: [{ success: true }] });
  t.notOk('trust' in kept.node_results[0], 'a deletion is no reproach');
  t.equal((await owner.call('GET', '/v1/account/nodes')).body.data.items.length, 0);
  t.equal((await api.call('GET', `/v1/nodes/${nodeId}`)).status, 404);
  t.equal(code(await owner.call('DELETE', `/v1/account/nodes/${nodeId}`)), 'NODE_NOT_FOUND');
  t.equal(code(await owner.call('POST', '/v1/probe/tcp', { body: probe })), 'NODE_NOT_FOUND');
});

t.test('nodes are deleted with the account of their owner', async (t) => {
  const owner = await anOwner();
  const identity = await enrollPeer(owner);
  const peer = await PeerAgent.connect(t, api.url, identity);
  await controlPlane.services.accounts.users.delete(owner.userId, commandLine);
  t.equal((await peer.waitForClose()).reason, 'CLOSE_DELETED');
  t.equal((await (await PeerAgent.dial(t, api.url, identity)).waitForClose()).reason, 'CLOSE_DELETED');
});

t.test('a draining node finishes its jobs, keeps its link and gets no new ones, until it is undrained', async (t) => {
  const identity = await enrollPeer(api);
  const { nodeId } = identity;
  const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
  const probe = { target: '127.0.0.1:1', node_id: nodeId };
  const before = await submit(api, 'tcp', probe);
  await peer.waitFor('the job', (frame) => frame.job !== null);
  const act = (name: string) => api.call('POST', `/v1/admin/nodes/${nodeId}/${name}`);
  t.equal(code(await act('undrain')), 'NODE_STATE_CONFLICT');
  t.match((await act('drain')).body.data, { status: 'draining', is_draining: true });
  t.equal(code(await act('drain')), 'NODE_STATE_CONFLICT');
  t.match(await api.call('POST', '/v1/probe/tcp', { body: probe }), {
    status: 503,
    body: { error: { code: 'NODE_OFFLINE' } },
  });
  t.match(
    await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:1' } }),
    { status: 503 },
    'nor by selection',
  );
  peer.sendResults([successOf(before.taskIds[0] ?? '', 'tcp')]);
  t.match(await finishedTask(api, before.taskId), { status: 'completed' });
  t.ok(peer.isOpen);
  t.match((await act('undrain')).body.data, { status: 'online', is_draining: false });
  await submit(api, 'tcp', probe);
  await peer.waitFor('the next job', () => peer.jobs.length === 2);
  const actions = await database.db('audit_log').where({ subject: nodeId }).orderBy('id').pluck('action');
  t.same(actions.slice(-2), ['node.drained', 'node.undrained']);
});
