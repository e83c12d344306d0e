import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { lastingLeases } from './_support/lasting-lease.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { runProbe } from './_support/probes.js';
import { startReplica, startStack } from './_support/stack.js';

/** A replica with its own clock that stops within ten seconds, next to one that stays. */
async function leavingReplica(t: Test, { hasUrl = true } = {}) {
  const listen = `127.0.0.1:${await lastingPort()}`;
  const url = `http://${listen}`;
  const settings = { VANTAGE_PUBLIC_URL: url, VANTAGE_DRAIN_SECONDS: '10' };
  const place = { VANTAGE_LISTEN: listen, ...(hasUrl ? { VANTAGE_REPLICA_URL: url } : {}) };
  const stack = await startStack(t, { ...settings, ...place });
  const staying = stack.controlPlane;
  await lastingLeases(stack.database.db);
  const clock = new FakeClock(Date.now());
  const leaving = await startReplica(t, stack.database.url, settings, clock);
  const identity = await enrollPeer(stack.api);
  const peer = await PeerAgent.connect(t, leaving.listenUrl, identity);
  return { ...stack, staying, leaving, clock, peer, identity, url };
}

const readiness = async (url: string) => (await fetch(`${url}/readyz`)).status;

t.test('a stopping replica reports it at once, and serves until its time is over', async (t) => {
  const { leaving, staying, clock, api } = await leavingReplica(t);
  t.equal(await readiness(leaving.listenUrl), 200);
  let isOver = false;
  const drained = leaving.drain().then(() => {
    isOver = true;
  });
  const ready = await fetch(`${leaving.listenUrl}/readyz`);
  t.match(
    [ready.status, await ready.json()],
    [
      503,
      {
        checks: [
          { name: 'database', ok: true },
          { name: 'staying', ok: false },
        ],
      },
    ],
  );
  await until('the staying one to be ready', async () => (await readiness(staying.listenUrl)) === 200);
  const answer = await fetch(`${leaving.listenUrl}/v1/nodes`, { headers: { authorization: `Bearer ${api.token}` } });
  t.equal(answer.status, 200, 'requests that still arrive are answered');
  t.equal(answer.headers.get('connection'), 'close', 'on a connection that no balancer will use again');
  clock.advance(9_999);
  await new Promise(setImmediate);
  t.equal(isOver, false);
  clock.advance(1);
  await drained;
  t.equal(clock.pendingTimers > 0, true, 'it renews its lease until it is stopped');
});

t.test('its agents are sent to replicas that publish their address and stay, with their work', async (t) => {
  const { leaving, api, peer, identity, url, database } = await leavingReplica(t);
  const drained = leaving.drain();
  t.equal((await peer.waitForClose()).reason, 'CLOSE_DRAINING');
  t.match(await database.db('replicas').where({ id: leaving.replicaId }).first(), { is_draining: true });
  const close = peer.frames.find((frame) => frame.close !== null)?.close;
  t.strictSame(close?.controlUrls, [url]);
  const there = await PeerAgent.connect(t, url, identity, { epoch: peer.epoch });
  const refused = await PeerAgent.dial(t, leaving.listenUrl, identity).catch((error: Error) => error);
  t.match(refused, /503/, 'no new agent is accepted');
  t.match(await runProbe(api, 'tcp', { target: '127.0.0.1:1' }), { status: 'completed' });
  await leaving.stop();
  await drained;
  t.ok(there.isOpen);
});

t.test('agents that know only the balancer stay until the balancer has had time to notice', async (t) => {
  const { leaving, clock, peer } = await leavingReplica(t, { hasUrl: false });
  const timers = clock.pendingTimers;
  const drained = leaving.drain();
  await until('the delay to be waited for', () => clock.pendingTimers >= timers + 2);
  clock.advance(4_999);
  await new Promise(setImmediate);
  t.ok(peer.isOpen);
  clock.advance(1);
  t.equal((await peer.waitForClose()).reason, 'CLOSE_DRAINING');
  clock.advance(5_000);
  await drained;
});

t.test('a single replica has no other to wait for', async (t) => {
  const clock = new FakeClock(Date.now());
  const { controlPlane } = await startStack(t, {}, clock);
  await controlPlane.drain();
  await controlPlane.stop();
  t.equal(clock.pendingTimers, 0);
});

t.test('agents are sent away even without a database', async (t) => {
  const { leaving, clock, peer, database } = await leavingReplica(t, { hasUrl: false });
  await database.db.raw('ALTER TABLE replicas RENAME TO replicas_away');
  const timers = clock.pendingTimers;
  const drained = leaving.drain();
  await until('the delay to be waited for', () => clock.pendingTimers >= timers + 2);
  clock.advance(5_000);
  t.equal((await peer.waitForClose()).reason, 'CLOSE_DRAINING');
  clock.advance(5_000);
  await drained;
  await database.db.raw('ALTER TABLE replicas_away RENAME TO replicas');
});
