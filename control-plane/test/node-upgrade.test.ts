import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { failOverdueUpgrades } from '../src/links/index.js';
import { enrollPeer, PeerAgent, type PeerOptions } from './_support/peer-agent.js';
import { startReplica, startStack } from './_support/stack.js';

const { api, database } = await startStack(t);
const clock = new FakeClock(Date.now(), { rounds: [] });
const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, clock);

/** A node of an administrator, whose upgrades one replica is asked for, and whose link the other has. */
async function aNode() {
  const identity = await enrollPeer(api);
  const path = `/v1/admin/nodes/${identity.nodeId}`;
  const ask = (version: unknown) => api.call('POST', `${path}/upgrade`, { body: { version } });
  const connect = (t: Test, options: PeerOptions = {}) => PeerAgent.connect(t, other.listenUrl, identity, options);
  const shown = async () => {
    const { items } = (await api.call('GET', '/v1/admin/nodes')).body.data;
    return items.find(({ id }: { id: string }) => id === identity.nodeId).upgrade;
  };
  const audited = async () => (await api.call('GET', `${path}/audit`)).body.data.items;
  return { identity, ask, connect, shown, audited };
}

async function wishOf(peer: PeerAgent) {
  const { upgrade } = await peer.waitFor('the request', (frame) => frame.upgrade !== null);
  return { version: upgrade?.version ?? '', request: upgrade?.request ?? 0 };
}

t.test(
  'an upgrade reaches the node on any replica, runs, and is done when its agent is back with the new version',
  async (t) => {
    const { ask, connect, shown, audited } = await aNode();
    const peer = await connect(t);
    const asked = await ask('0.2.0');
    t.match(asked, { status: 202, body: { data: { upgrade: { version: '0.2.0', state: 'requested', error: null } } } });
    const wish = await wishOf(peer);
    t.equal(wish.version, '0.2.0');
    t.match(await ask('0.3.0'), { status: 409, body: { error: { code: 'NODE_STATE_CONFLICT' } } }, 'one at a time');
    peer.send({ upgradeStatus: { ...wish, state: 'running' } });
    await until('it to run', async () => (await shown()).state === 'running');
    t.equal((await ask('0.3.0')).status, 409);
    peer.cut();
    const old = await connect(t);
    t.notOk(
      old.frames.some((frame) => frame.upgrade),
      'a running upgrade is not requested again',
    );
    t.match(await shown(), { state: 'running' }, 'a link with the old version does not end it');
    old.cut();
    await connect(t, { agentVersion: '0.2.0' });
    t.match(await shown(), { state: 'done', error: null });
    t.same(
      (await audited()).slice(0, 2).map(({ action }: { action: string }) => action),
      ['node.upgraded', 'node.upgrade_requested'],
    );
    t.equal((await ask('0.2.0')).status, 409, 'it runs that already');
  },
);

t.test(
  'a node that leaves before it answers is asked again, with the same request, until it has answered',
  async (t) => {
    const { ask, connect, shown } = await aNode();
    const peer = await connect(t);
    await ask('0.2.0');
    const wish = await wishOf(peer);
    peer.cut();
    const back = await connect(t);
    t.same(await wishOf(back), wish);
    back.send({ upgradeStatus: { ...wish, state: 'failed', detail: 'no\nroom' } });
    await until('it to have failed', async () => (await shown()).state === 'failed');
    t.match(await shown(), { error: { code: 'NODE_UPGRADE_FAILED', message: 'no room' } });
  },
);

t.test('a refusal, or a failure, is shown with its reason, and may be retried', async (t) => {
  const { ask, connect, shown, audited } = await aNode();
  const peer = await connect(t);
  let last = 0;
  for (const state of ['refused', 'failed']) {
    t.equal((await ask('0.2.0')).status, 202);
    await peer.waitFor('the request', ({ upgrade }) => upgrade !== null && upgrade.request > last);
    const wish = peer.frames.findLast(({ upgrade }) => upgrade !== null)?.upgrade;
    last = wish?.request ?? 0;
    // of a finished request, and of none
    peer.send({ upgradeStatus: { version: '0.2.0', state: 'failed', detail: 'stale', request: last - 1 } });
    peer.send({ upgradeStatus: { version: '0.2.0', state, detail: `${state} it`, request: last } });
    await until('the failure to be shown', async () => (await shown()).state === 'failed');
    t.match(await shown(), { error: { code: 'NODE_UPGRADE_FAILED', message: `${state} it` } });
    t.match((await audited())[0], { action: 'node.upgrade_failed', details: { reason: `${state} it` } });
  }
  peer.cut();
  await connect(t, { agentVersion: '0.2.0' });
  t.match(await shown(), { state: 'done', error: null }, 'an operator did it by hand');
});

t.test('an upgrade whose node never comes back fails after fifteen minutes, on any replica', async (t) => {
  const { identity, ask, connect, shown } = await aNode();
  const peer = await connect(t);
  await ask('0.2.0');
  peer.cut();
  const row = () => database.db('nodes').where({ id: identity.nodeId });
  t.same(await failOverdueUpgrades(database.db), [], 'not before');
  await row().update({ upgrade_requested_at: database.db.raw("now() - interval '16 minutes'") });
  await until('it to have failed', async () => {
    clock.advance(31_000);
    return (await row().first('upgrade_state')).upgrade_state === 'failed';
  });
  t.match(await shown(), { state: 'failed', error: { code: 'NODE_UPGRADE_FAILED', message: /15 minutes/ } });
});

t.test('only valid versions may be requested, of existing nodes that are not banned', async (t) => {
  const { ask, connect, identity } = await aNode();
  t.match(await ask('0.2.0'), { status: 503, body: { error: { code: 'NODE_OFFLINE' } } }, 'at once');
  await connect(t);
  for (const version of ['', 'latest', '--help', '1.0', '1.0.0;reboot', '../1.0.0', 7, null])
    t.match(await ask(version), { status: 400 }, JSON.stringify(version));
  await api.call('POST', `/v1/admin/nodes/${identity.nodeId}/ban`, { body: { reason: 'spam' } });
  t.match(await ask('0.2.0'), { status: 409, body: { error: { code: 'NODE_STATE_CONFLICT' } } });
  const nobody = await api.call('POST', '/v1/admin/nodes/n_1111111111111111111111/upgrade', {
    body: { version: '0.2.0' },
  });
  t.equal(nobody.status, 404);
});

t.test('a response with an invalid state ends the link', async (t) => {
  const { connect } = await aNode();
  const peer = await connect(t);
  peer.send({ upgradeStatus: { version: '0.2.0', state: 'done', request: 1 } });
  t.equal((await peer.waitForClose()).reason, 'CLOSE_PROTOCOL_ERROR');
});
