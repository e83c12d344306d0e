import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { isSignatureValid, publicKeyFromRaw } from '@vantage/shared/protocol/ed25519.js';
import { NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { rotationBytes } from '@vantage/shared/protocol/transcript.js';
import t, { type Test } from 'tap';
import { loadOrMakeKey } from '../src/identity/key.js';
import { NodeKeys } from '../src/identity/node-keys.js';
import { FakeControlPlane, type FakePeer } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** A control plane that knows a node by the key in a state directory, and a way to run that node's process. */
async function enrolled(t: Test) {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = temporaryDirectory(t);
  await loadOrMakeKey(stateDir);
  const run = async () => {
    const keys = await NodeKeys.open(stateDir);
    if (keys === null) throw new Error('no key');
    return { keys, node: await startNode(t, controlPlane, { folder: stateDir, keys }) };
  };
  const { publicKey } = (await NodeKeys.open(stateDir))?.current ?? { publicKey: Buffer.alloc(0) };
  controlPlane.nodePublicKey = publicKey;
  const hasNext = () => existsSync(join(stateDir, 'key.next.pem'));
  return { controlPlane, stateDir, run, hasNext };
}

/** Requests a new key and returns the reply, whose signatures are checked. */
async function askForKey(t: Test, peer: FakePeer, nonce = randomBytes(NONCE_BYTES)) {
  const oldPublicKey = peer.owner.nodePublicKey;
  peer.send({ rotateKey: { nonce } });
  const answer = await peer.next('keyRotation');
  const bytes = rotationBytes({
    audience: peer.owner.url,
    nodeId: peer.hello.nodeId,
    oldPublicKey,
    newPublicKey: answer.publicKey,
    nonce,
  });
  t.ok(isSignatureValid(publicKeyFromRaw(oldPublicKey), bytes, answer.oldSignature), 'signed by the old key');
  t.ok(isSignatureValid(publicKeyFromRaw(answer.publicKey), bytes, answer.newSignature), 'and by the new one');
  return Buffer.from(answer.publicKey);
}

t.test('a new key is signed by both, and takes the place of the old one when the control plane took it', async (t) => {
  const { controlPlane, run, hasNext } = await enrolled(t);
  const { keys } = await run();
  const peer = await controlPlane.nextOpenPeer();
  const next = await askForKey(t, peer);
  t.ok(hasNext(), 'on the disk before it is shown');
  t.notOk(keys.current.publicKey.equals(next), 'and not in use before it is taken');
  controlPlane.nodePublicKey = next;
  peer.send({ keyRotated: { publicKey: next, refused: '' } });
  await until('the keys to be swapped', () => keys.current.publicKey.equals(next));
  t.notOk(hasNext());
  peer.socket.terminate();
  await controlPlane.nextOpenPeer();
});

t.test('an agent that dies before its answer arrives is asked again, and answers with another key', async (t) => {
  const { controlPlane, run } = await enrolled(t);
  const { node } = await run();
  const nonce = randomBytes(NONCE_BYTES);
  const first = await askForKey(t, await controlPlane.nextOpenPeer(), nonce);
  await node.stop();
  const { keys } = await run();
  const peer = await controlPlane.nextOpenPeer();
  const second = await askForKey(t, peer, nonce);
  t.notOk(second.equals(first), 'what was never taken is gone');
  controlPlane.nodePublicKey = second;
  peer.send({ keyRotated: { publicKey: second, refused: '' } });
  await until('the keys to be swapped', () => keys.current.publicKey.equals(second));
});

t.test(
  'an agent that dies after the control plane took its key gets in with it, and finishes the change',
  async (t) => {
    const { controlPlane, run, hasNext } = await enrolled(t);
    const { node } = await run();
    const next = await askForKey(t, await controlPlane.nextOpenPeer());
    // committed, and the agent never hears of it
    controlPlane.nodePublicKey = next;
    await node.stop();
    t.ok(hasNext());
    const { keys, node: restarted } = await run();
    await controlPlane.nextOpenPeer();
    await until('the link to be open', () => restarted.link.status.state === 'open');
    await until('the change to be finished', () => keys.current.publicKey.equals(next));
  },
);

t.test(
  'a link that was cut after the control plane took the key is opened again with it, in one process',
  async (t) => {
    const { controlPlane, run, hasNext } = await enrolled(t);
    await run();
    const peer = await controlPlane.nextOpenPeer();
    controlPlane.nodePublicKey = await askForKey(t, peer);
    peer.socket.terminate();
    await controlPlane.nextOpenPeer();
    await until('the change to be finished', () => !hasNext());
  },
);

t.test('a control plane that forgot the change is met with the key before, and the link opens', async (t) => {
  const { controlPlane, run } = await enrolled(t);
  const { keys } = await run();
  const peer = await controlPlane.nextOpenPeer();
  const old = controlPlane.nodePublicKey;
  const next = await askForKey(t, peer);
  peer.send({ keyRotated: { publicKey: next, refused: '' } });
  await until('the keys to be swapped', () => keys.current.publicKey.equals(next));
  // its database failed over to one without the last second
  peer.socket.terminate();
  await controlPlane.nextOpenPeer();
  await until('the old key to be back', () => keys.current.publicKey.equals(old));
});

t.test('a refused key is discarded, and the old one stays valid', async (t) => {
  const { controlPlane, run, hasNext } = await enrolled(t);
  const { keys } = await run();
  const peer = await controlPlane.nextOpenPeer();
  const refused = await askForKey(t, peer);
  const old = controlPlane.nodePublicKey;
  peer.send({ keyRotated: { publicKey: old, refused: 'this key was used before' } });
  await until('the key to be thrown away', () => !hasNext());
  t.ok(keys.current.publicKey.equals(old));
  t.notOk((await askForKey(t, peer)).equals(refused), 'the next one is another');
});

t.test('a key that cannot be written, or is never confirmed, does not stop the agent', async (t) => {
  const { controlPlane, run, stateDir } = await enrolled(t);
  const { keys, node } = await run();
  const peer = await controlPlane.nextOpenPeer();
  t.intercept(keys, 'makeNext', { value: () => Promise.reject(new Error(`EROFS: "${stateDir}"`)) });
  peer.send({ rotateKey: { nonce: randomBytes(NONCE_BYTES) } });
  peer.job('pt_1');
  peer.ack(await peer.next('results'));
  t.equal(node.link.status.state, 'open');
});

t.test(
  'an agent with an older state directory learns that its key was changed, from the real control plane',
  async (t) => {
    const { controlPlane, run } = await enrolled(t);
    controlPlane.nodePublicKey = controlPlane.nodeKeys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const { node } = await run();
    const peer = await controlPlane.nextPeer();
    await peer.challenge();
    await peer.closed();
    t.equal(peer.unread('proof').length, 0);
    t.match(node.link.status.lastEnd, { kind: 'unauthenticated', message: /before its key was changed/ });
  },
);

t.test('a request without a whole nonce ends the link, and no key is made', async (t) => {
  const { controlPlane, run, hasNext } = await enrolled(t);
  await run();
  const peer = await controlPlane.nextOpenPeer();
  peer.send({ rotateKey: { nonce: randomBytes(16) } });
  await peer.closed();
  t.notOk(hasNext());
});
