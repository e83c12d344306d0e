import { randomBytes } from 'node:crypto';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { keepEvents } from './_support/kept-events.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { startReplica, startStack } from './_support/stack.js';

const { api, controlPlane, database } = await startStack(t, { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' });
const { listenUrl } = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });
const at = { one: api.url, other: listenUrl };

/** A node, and ways to connect it to either replica. */
async function aNode(t: Test) {
  const identity = await enrollPeer(api);
  const dial = (replica: keyof typeof at, generation: number, bootId: string) =>
    PeerAgent.dial(t, at[replica], identity, { generation, bootId });
  const connect = (replica: keyof typeof at, generation: number, bootId: string) =>
    PeerAgent.connect(t, at[replica], identity, { generation, bootId });
  return { identity, dial, connect };
}

t.test(
  'a copy used at the same time as the original is noticed when the replaced one returns, and both are shut out',
  async (t) => {
    const { identity, dial, connect } = await aNode(t);
    await keepEvents(database.db);
    const original = await connect('one', 5, 'original');
    // copied at generation 5: its first link takes the next number, as the original's would
    const copy = await connect('other', 6, 'copy');
    t.equal((await original.waitForClose()).reason, 'CLOSE_REPLACED', 'the newest of two sockets wins');
    const back = await dial('one', 6, 'original');
    t.equal((await back.waitForClose()).reason, 'CLOSE_CLONED');
    t.equal((await copy.waitForClose()).reason, 'CLOSE_BANNED', 'on the other replica too');

    const alarms = async () => (await api.call('GET', '/v1/admin/nodes?quarantined=true')).body.data.items;
    t.match(await alarms(), [{ id: identity.nodeId, status: 'banned', ban: { is_quarantine: true, reason: /copy/ } }]);
    t.match((await api.call('GET', `/v1/admin/nodes/${identity.nodeId}/audit`)).body.data.items[0], {
      action: 'node.quarantined',
      actor: { kind: 'system' },
    });
    const metric = async () =>
      (await (await fetch(controlPlane.metricsUrl ?? '')).text()).match(/^vantage_nodes_quarantined (\d)$/m)?.[1];
    t.equal(await metric(), '1');
    t.equal(
      (await (await dial('other', 9, 'original')).waitForClose()).reason,
      'CLOSE_BANNED',
      'until an administrator intervenes',
    );

    await api.call('POST', `/v1/admin/nodes/${identity.nodeId}/unban`);
    t.same(await alarms(), []);
    await until('the metric to follow', async () => (await metric()) === '0');
    const first = await connect('one', 7, 'original');
    const second = await dial('other', 7, 'copy');
    t.equal((await second.waitForClose()).reason, 'CLOSE_CLONED', 'the other one is noticed again');
    t.equal((await first.waitForClose()).reason, 'CLOSE_BANNED');
    t.equal((await database.db('audit_log').where({ action: 'node.quarantined' })).length, 2);
    const payload = { node: { id: identity.nodeId }, reason: 'quarantined' };
    t.match(await database.db('outbox').where({ kind: 'node.banned' }), [{ payload }, { payload }]);
  },
);

t.test('a copy that connects after the original continued is noticed at once, on any replica', async (t) => {
  const { dial, connect } = await aNode(t);
  const before = await connect('one', 5, 'original');
  before.cut();
  const original = await connect('one', 8, 'original');
  t.equal((await (await dial('other', 6, 'copy')).waitForClose()).reason, 'CLOSE_CLONED');
  t.equal((await original.waitForClose()).reason, 'CLOSE_BANNED');
});

t.test('a proof that was on its way while the node’s next process linked is late, not a copy', async (t) => {
  // the challenge stays open while another process links, which takes a busy machine longer than a handshake may
  const stack = await startStack(t, {}, new FakeClock(Date.now()));
  const identity = await enrollPeer(stack.api);
  let prove = () => {};
  const linked = new Promise<void>((resolve) => {
    prove = resolve;
  });
  const killed = await PeerAgent.dial(t, stack.api.url, identity, {
    generation: 6,
    bootId: 'killed',
    beforeProof: () => linked,
  });
  await killed.waitFor('the challenge', ({ challenge }) => challenge !== null);
  const next = await PeerAgent.connect(t, stack.api.url, identity, { generation: 7, bootId: 'next' });
  prove();
  t.equal((await killed.waitForClose()).reason, 'CLOSE_REPLACED');
  t.ok(next.isOpen);
  t.strictSame(await stack.database.db('nodes').whereNotNull('quarantined_at').pluck('id'), []);
});

t.test('a node that has lost its stored state begins a new epoch, and administrators see the alarm', async (t) => {
  const alarms = async () =>
    (await (await fetch(controlPlane.metricsUrl ?? '')).text()).match(/^vantage_nodes_set_back_total (\d+)$/m)?.[1];
  const identity = await enrollPeer(api);
  const connect = (last: number) => PeerAgent.connect(t, api.url, identity, { epoch, last });
  const isNewEpoch = (peer: PeerAgent) => peer.frames.find(({ welcome }) => welcome !== null)?.welcome?.newEpoch;
  const epoch = randomBytes(16);
  const before = await connect(0);
  t.equal(isNewEpoch(before), false);
  before.sendResults([successOf('pt_1111111111111111111111', 'tcp'), successOf('pt_1111111111111111111112', 'tcp')]);
  await before.waitFor('both to be stored', ({ ack }) => ack?.mark === 2);
  before.cut();
  const whole = await connect(2);
  t.equal(isNewEpoch(whole), false);
  t.equal(await alarms(), '0');
  whole.cut();
  t.equal(isNewEpoch(await connect(1)), true);
  t.equal(await alarms(), '1');
});

t.test(
  'a restored state directory is shut out because of its old generation, and admitted after an unban',
  async (t) => {
    const { identity, dial, connect } = await aNode(t);
    const before = await connect('one', 40, 'before');
    before.leave();
    await before.waitForClose();
    t.equal((await (await dial('other', 12, 'restored')).waitForClose()).reason, 'CLOSE_CLONED');
    await api.call('POST', `/v1/admin/nodes/${identity.nodeId}/unban`);
    const restored = await connect('other', 13, 'restored');
    t.ok(restored.isOpen, 'although 40 was used before');
  },
);
