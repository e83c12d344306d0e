import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

const LIMIT_MS = 10_000;

/** A peer that has its challenge, and sends its proof when a test lets it. */
async function challengedPeer(t: Test) {
  const clock = new FakeClock(Date.now());
  const { api } = await startStack(t, {}, clock);
  const identity = await enrollPeer(api);
  let prove = () => {};
  const peer = await new Promise<PeerAgent>((resolve, reject) => {
    const proving = new Promise<void>((begin) => (prove = begin));
    const beforeProof = () => {
      resolve(dialled);
      return proving;
    };
    const dialled = PeerAgent.dial(t, api.url, identity, { beforeProof });
    dialled.catch(reject);
  });
  return { clock, peer, prove };
}

t.test('a peer that does not prove itself in time is closed', async (t) => {
  const { clock, peer } = await challengedPeer(t);
  clock.advance(LIMIT_MS - 1);
  t.ok(peer.isOpen);
  clock.advance(1);
  t.match(await peer.waitForClose(), { reason: 'CLOSE_PROTOCOL_ERROR' });
});

t.test('a proof that arrived while the control plane stood still opens the link', async (t) => {
  const { clock, peer, prove } = await challengedPeer(t);
  await new Promise<void>((resolve) =>
    // in the timers of a turn of the event loop, before its sockets are read
    setTimeout(async () => {
      prove();
      for (let step = 0; step < 20; step += 1) await Promise.resolve();
      clock.advance(LIMIT_MS);
      resolve();
    }),
  );
  t.ok(await peer.waitFor('the welcome', ({ welcome }) => welcome !== null));
});
