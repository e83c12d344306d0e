import { randomBytes } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask } from './_support/probes.js';
import { startReplica, startStack } from './_support/stack.js';

const { api, database } = await startStack(t, { VANTAGE_CANARY_TARGETS: 'tcp://192.0.2.1:443, icmp://canary.example' });
const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });

t.test('a malformed or unexpected frame closes that link and no other', async (t) => {
  const bystander = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'bystander' }));
  const cases: readonly { name: string; send: (peer: PeerAgent) => void }[] = [
    { name: 'random bytes', send: (peer) => peer.sendBytes(randomBytes(64)) },
    { name: 'an empty message', send: (peer) => peer.sendBytes(new Uint8Array()) },
    { name: 'a text message', send: (peer) => peer.sendBytes('hello') },
    { name: 'a truncated frame', send: (peer) => peer.sendBytes(Buffer.from([0x1a, 0xff, 0x01])) },
    { name: 'a second hello', send: (peer) => peer.send({ hello: { nodeId: peer.identity.nodeId } }) },
    {
      name: 'an unknown lane',
      send: (peer) =>
        peer.send({ results: { epoch: peer.epoch, lane: 9 as 1, first: 1, results: [successOf('x', 'tcp')] } }),
    },
    {
      name: 'an empty batch',
      send: (peer) => peer.send({ results: { epoch: peer.epoch, lane: 1, first: 1, results: [] } }),
    },
    {
      name: 'sequence 0',
      send: (peer) =>
        peer.send({ results: { epoch: peer.epoch, lane: 1, first: 0, results: [successOf('x', 'tcp')] } }),
    },
    {
      name: 'a dropped range that ends before it begins',
      send: (peer) => peer.send({ dropped: { epoch: peer.epoch, lane: 1, first: 5, last: 4, reason: 'expired' } }),
    },
    { name: 'deep groups', send: (peer) => peer.sendBytes(Buffer.alloc(5000, 0x0b)) },
  ];
  for (const { name, send } of cases) {
    const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name }));
    send(peer);
    t.equal((await peer.waitForClose()).reason, 'CLOSE_PROTOCOL_ERROR', name);
  }
  const oversized = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'oversized' }));
  oversized.sendBytes(Buffer.alloc(2 * 1024 * 1024));
  t.equal((await oversized.waitForClose()).code, 1009, 'a message over the limit is cut by the WebSocket itself');
  t.ok(bystander.isOpen, 'the bystander is not affected');
  const { data } = (
    await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:1', node_id: bystander.identity.nodeId } })
  ).body;
  t.equal((await finishedTask(api, data.task_id)).status, 'completed');
});

t.test('a link without the key of an enrolled node is refused', async (t) => {
  const known = await enrollPeer(api, { name: 'known' });
  const stranger = await enrollPeer(api, { name: 'stranger' });
  const dial = async (identity: typeof known, options = {}) =>
    (await PeerAgent.dial(t, api.url, identity, options)).waitForClose();
  t.equal(
    (await dial({ ...known, privateKey: stranger.privateKey })).reason,
    'CLOSE_UNAUTHENTICATED',
    'another node’s key',
  );
  t.equal(
    (await dial({ ...known, nodeId: 'n_1111111111111111111111' })).reason,
    'CLOSE_UNAUTHENTICATED',
    'unknown node',
  );
  t.equal(
    (await dial({ ...known, audience: 'https://elsewhere.example' })).reason,
    'CLOSE_UNAUTHENTICATED',
    'a proof meant for another control plane',
  );
  t.equal((await dial({ ...known, nodeId: 'x\0' })).reason, 'CLOSE_PROTOCOL_ERROR', 'NUL in the node id');
  t.equal((await dial(known, { generation: 0 })).reason, 'CLOSE_PROTOCOL_ERROR', 'generation 0');
});

t.test('an old generation that comes back quarantines the node, whose link ends too', async (t) => {
  const identity = await enrollPeer(api);
  const original = await PeerAgent.connect(t, api.url, identity, { generation: 7 });
  const copy = await PeerAgent.dial(t, api.url, identity, { generation: 7 });
  t.equal((await copy.waitForClose()).reason, 'CLOSE_CLONED');
  t.equal((await original.waitForClose()).reason, 'CLOSE_BANNED');
  const { body } = await api.call('GET', `/v1/nodes/${identity.nodeId}`);
  t.match(body.data, { status: 'banned', ban_reason: /copy/ });
});

t.test('of two live sockets of one node the newest wins, on one replica and on two', async (t) => {
  const identity = await enrollPeer(api);
  const first = await PeerAgent.connect(t, api.url, identity);
  const second = await PeerAgent.connect(t, api.url, identity);
  t.equal((await first.waitForClose()).reason, 'CLOSE_REPLACED', 'same replica');
  const third = await PeerAgent.connect(t, other.listenUrl, identity);
  t.equal((await second.waitForClose()).reason, 'CLOSE_REPLACED', 'other replica');
  t.ok(third.isOpen);
});

t.test('a ban closes the link on any replica and refuses the node until it is lifted', async (t) => {
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, other.listenUrl, identity);
  const path = `/v1/admin/nodes/${identity.nodeId}`;
  const banned = await api.call('POST', `${path}/ban`, { body: { reason: 'forged results' } });
  t.match(banned, { status: 200, body: { data: { status: 'banned', ban_reason: 'forged results' } } });
  t.match(await peer.waitForClose(), { code: 4403, reason: 'CLOSE_BANNED' });
  t.equal(
    (await api.call('POST', `${path}/ban`, { body: { reason: 'again' } })).body.error.code,
    'NODE_ALREADY_BANNED',
  );
  const refused = await PeerAgent.dial(t, api.url, identity);
  t.match(await refused.waitForClose(), { code: 4403, reason: 'CLOSE_BANNED' });
  t.equal((await api.call('GET', `/v1/nodes/${identity.nodeId}`, { as: null })).status, 404, 'hidden from the public');
  t.equal((await api.call('POST', `${path}/unban`)).body.data.status, 'offline');
  t.equal((await api.call('POST', `${path}/unban`)).body.error.code, 'NODE_NOT_BANNED');
  t.ok((await PeerAgent.connect(t, api.url, identity)).isOpen, 'it may come back');
  const { rows } = await database.db.raw(
    `SELECT action, details->>'reason' AS reason, user_id FROM audit_log WHERE subject = ? AND action LIKE 'node.%banned' ORDER BY id`,
    [identity.nodeId],
  );
  t.strictSame(rows, [
    { action: 'node.banned', reason: 'forged results', user_id: api.userId },
    { action: 'node.unbanned', reason: null, user_id: api.userId },
  ]);
});

t.test('the welcome contains the canaries with which agents test themselves', async (t) => {
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api));
  const { welcome } = await peer.waitFor('the welcome', (frame) => frame.welcome !== null);
  t.strictSame(welcome?.config?.canaries, ['tcp://192.0.2.1:443', 'icmp://canary.example']);
});

t.test('the response to a heartbeat contains what a clock exchange needs', async (t) => {
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api));
  peer.send({ heartbeat: { sequence: 3, transmitMs: 12_345.5, spoolRows: 2 } });
  const { heartbeat } = await peer.waitFor('the response', (frame) => frame.heartbeat?.sequence === 3);
  t.match(heartbeat, { sequence: 3, isReply: true, originMs: 12_345.5 });
  t.ok(Math.abs((heartbeat?.receiveMs ?? 0) - Date.now()) < 60_000);
});

t.test('a stopping control plane sends its agents elsewhere and leaves no session behind', async (t) => {
  const third = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, third.listenUrl, identity);
  await third.stop();
  t.equal((await peer.waitForClose()).reason, 'CLOSE_DRAINING');
  const { rows } = await database.db.raw('SELECT session_id, lost_after > now() AS has_grace FROM nodes WHERE id = ?', [
    identity.nodeId,
  ]);
  t.strictSame(rows, [{ session_id: null, has_grace: true }]);
  t.notOk((await database.db('replicas').pluck('id')).includes(third.replicaId));
});

t.test('a node whose replica died is offline for the others', async (t) => {
  const identity = await enrollPeer(api);
  const { db } = database;
  await db('replicas').insert({ id: 'rep_dead', heartbeat_at: db.raw(`now() - interval '1 minute'`) });
  await db('nodes').where({ id: identity.nodeId }).update({ session_id: 'ses_dead', replica_id: 'rep_dead' });
  await until('the node to be unlinked', async () => {
    const { body } = await api.call('GET', `/v1/nodes/${identity.nodeId}`);
    return body.data.status === 'offline' && !(await db('replicas').pluck('id')).includes('rep_dead');
  });
  t.pass();
});

t.test(
  'a replica given up for dead stores nothing more of its nodes, which are sent away and deliver elsewhere',
  async (t) => {
    const identity = await enrollPeer(api);
    const peer = await PeerAgent.connect(t, api.url, identity, { isAnswering: false });
    const { body } = await api.call('POST', '/v1/probe/tcp', {
      body: { target: '127.0.0.1:1', node_id: identity.nodeId },
    });
    const [nodeTaskId] = body.data.task_ids;
    await until('the job', () => peer.jobs.length === 1);
    const { db } = database;
    // other replicas do this when a lease is over; this replica does not know it yet
    await db('nodes')
      .where({ id: identity.nodeId })
      .update({
        session_id: null,
        replica_id: null,
        lost_after: db.raw(`now() + interval '5 minutes'`),
      });
    peer.sendResults([successOf(nodeTaskId, 'tcp')]);
    t.match((await peer.waitForClose()).reason, /^CLOSE_(DRAINING|REPLACED)$/);
    t.notOk(
      peer.frames.some((frame) => frame.ack !== null),
      'nothing was acknowledged',
    );
    t.match(await db('probe_node_tasks').where({ id: nodeTaskId }).first('state'), { state: 'pending' });
    const idle = await PeerAgent.connect(t, other.listenUrl, identity, {
      epoch: peer.epoch,
      last: 1,
      isAnswering: false,
    });
    idle.sendResults([successOf(nodeTaskId, 'tcp')], 1);
    await idle.waitFor('the acknowledgement', (frame) => frame.ack?.mark === 1);
    t.match(await db('probe_node_tasks').where({ id: nodeTaskId }).first('state', 'late'), {
      state: 'done',
      late: false,
    });
    await db('nodes').where({ id: identity.nodeId }).update({ session_id: null, replica_id: null });
    t.equal((await idle.waitForClose()).reason, 'CLOSE_DRAINING', 'an idle agent is told to come back at once');
  },
);
