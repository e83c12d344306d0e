import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { rotationBytes } from '@vantage/shared/protocol/transcript.js';
import t from 'tap';
import { enrollPeer, PeerAgent, type PeerIdentity } from './_support/peer-agent.js';
import { finishedTask, submit } from './_support/probes.js';
import { createUserApi, startReplica, startStack, type TestApi } from './_support/stack.js';

const { api, database, controlPlane } = await startStack(t);
const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });

const newKey = () => generateKeyPairSync('ed25519').privateKey;

/** A response to a request for a new key; any change that a test makes to it invalidates it. */
function answer(
  identity: PeerIdentity,
  next: KeyObject,
  asked: { nonce: Uint8Array; nodeId?: string; audience?: string; oldSigner?: KeyObject; newSigner?: KeyObject },
) {
  const publicKey = rawPublicKey(next);
  const bytes = rotationBytes({
    audience: asked.audience ?? identity.audience,
    nodeId: asked.nodeId ?? identity.nodeId,
    oldPublicKey: rawPublicKey(identity.privateKey),
    newPublicKey: publicKey,
    nonce: asked.nonce,
  });
  return {
    keyRotation: {
      publicKey,
      oldSignature: signBytes(asked.oldSigner ?? identity.privateKey, bytes),
      newSignature: signBytes(asked.newSigner ?? next, bytes),
    },
  };
}

/** Requests a new key as the owner does. */
async function request(api: TestApi, nodeId: string) {
  const { status, body } = await api.call('POST', `/v1/account/nodes/${nodeId}/rotate-key`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
}

async function nonceOf(peer: PeerAgent): Promise<Uint8Array> {
  const { rotateKey } = await peer.waitFor('the request', (frame) => frame.rotateKey !== null);
  return rotateKey?.nonce ?? new Uint8Array();
}

async function outcomeOf(peer: PeerAgent) {
  const { keyRotated } = await peer.waitFor('the outcome', (frame) => frame.keyRotated !== null);
  return { publicKey: Buffer.from(keyRotated?.publicKey ?? []), refused: keyRotated?.refused };
}

t.test(
  'a node’s key is changed over its link; the old key opens nothing afterwards, and the audit log records it',
  async (t) => {
    const owner = await createUserApi(controlPlane, 'owner@test.example', 'user');
    const identity = await enrollPeer(owner);
    const peer = await PeerAgent.connect(t, api.url, identity);
    const asked = await request(owner, identity.nodeId);
    t.match(asked.key, { changed_at: null, rotation_requested_at: /Z$/ });
    const next = newKey();
    peer.send(answer(identity, next, { nonce: await nonceOf(peer) }));
    t.same(await outcomeOf(peer), { publicKey: rawPublicKey(next), refused: '' });
    t.ok(peer.isOpen, 'the link it came over continues');
    const { body } = await owner.call('GET', '/v1/account/nodes');
    t.match(body.data.items[0].key, { changed_at: /Z$/, rotation_requested_at: null });
    t.not(body.data.items[0].key.fingerprint, asked.key.fingerprint);

    const old = await PeerAgent.dial(t, api.url, identity);
    t.equal((await old.waitForClose()).reason, 'CLOSE_UNAUTHENTICATED');
    const again = await PeerAgent.connect(t, api.url, { ...identity, privateKey: next });
    t.notOk(
      again.frames.some((frame) => frame.rotateKey),
      'it is not requested again',
    );
    const rows = await database
      .db('audit_log')
      .where({ subject: identity.nodeId, account_id: owner.userId })
      .where('action', 'like', 'node.key%')
      .orderBy('id')
      .select('action', 'user_id', 'details');
    t.match(rows, [
      { action: 'node.key_rotation_requested', user_id: owner.userId },
      { action: 'node.key_rotated', user_id: null, details: { from: asked.key.fingerprint, to: /=$/ } },
    ]);
  },
);

t.test('a node that was offline is asked when it is back, on any replica, until it has answered', async (t) => {
  const identity = await enrollPeer(api);
  await request(api, identity.nodeId);
  const silent = await PeerAgent.connect(t, api.url, identity);
  const nonce = await nonceOf(silent);
  const { taskId } = await submit(api, 'tcp', { target: '127.0.0.1:1', node_id: identity.nodeId });
  t.match(await finishedTask(api, taskId), { status: 'completed' }, 'an unanswered request keeps no caller waiting');
  silent.cut();
  const back = await PeerAgent.connect(t, other.listenUrl, identity);
  t.same(await nonceOf(back), nonce, 'so that a response on its way still counts');
  const next = newKey();
  back.send(answer(identity, next, { nonce }));
  t.match(await outcomeOf(back), { refused: '' });
});

t.test('a key is refused unless both keys signed this change, and if it is weak or was used before', async (t) => {
  const identity = await enrollPeer(api);
  const stranger = await enrollPeer(api, { name: 'stranger' });
  const next = newKey();
  const raw = (publicKey: Uint8Array) => (nonce: Uint8Array) => {
    const { keyRotation } = answer(identity, next, { nonce });
    return { keyRotation: { ...keyRotation, publicKey } };
  };
  const notCanonical = Buffer.alloc(32, 0xff);
  const cases: readonly { name: string; says: RegExp; make: (nonce: Uint8Array) => object }[] = [
    ...[
      { name: 'not signed by the old key', says: /present key/, change: { oldSigner: next } },
      { name: 'not signed by the new key', says: /new key/, change: { newSigner: identity.privateKey } },
      { name: 'of another request', says: /present key/, change: { nonce: Buffer.alloc(32, 7) } },
      { name: 'of another node', says: /present key/, change: { nodeId: stranger.nodeId } },
      { name: 'for another control plane', says: /present key/, change: { audience: 'https://elsewhere.example' } },
    ].map(({ name, says, change }) => ({
      name,
      says,
      make: (nonce: Uint8Array) => answer(identity, next, { nonce, ...change }),
    })),
    { name: 'another key than the signed one', says: /present key/, make: raw(rawPublicKey(newKey())) },
    { name: 'no key', says: /present key/, make: raw(new Uint8Array()) },
    {
      name: 'the key it has',
      says: /has already/,
      make: (nonce) => answer(identity, identity.privateKey, { nonce }),
    },
    {
      name: 'the key of another node',
      says: /used before/,
      make: (nonce) => answer(identity, stranger.privateKey, { nonce }),
    },
    ...[Buffer.alloc(32), notCanonical].map((publicKey) => ({
      name: publicKey === notCanonical ? 'a key that is not canonical' : 'a key of small order',
      says: publicKey === notCanonical ? /canonical/ : /small order/,
      make: (nonce: Uint8Array) => {
        const bytes = rotationBytes({
          audience: identity.audience,
          nodeId: identity.nodeId,
          oldPublicKey: rawPublicKey(identity.privateKey),
          newPublicKey: publicKey,
          nonce,
        });
        const oldSignature = signBytes(identity.privateKey, bytes);
        return { keyRotation: { publicKey, oldSignature, newSignature: Buffer.alloc(64) } };
      },
    })),
  ];
  await request(api, identity.nodeId);
  for (const { name, says, make } of cases) {
    const peer = await PeerAgent.connect(t, api.url, identity);
    peer.send(make(await nonceOf(peer)));
    const { publicKey, refused } = await outcomeOf(peer);
    t.match(refused, says, name);
    t.same(publicKey, rawPublicKey(identity.privateKey), `${name}: the old key counts`);
    t.ok(peer.isOpen, `${name}: the link continues`);
  }
  const peer = await PeerAgent.connect(t, api.url, identity);
  peer.send(answer(identity, next, { nonce: await nonceOf(peer) }));
  t.match(await outcomeOf(peer), { refused: '' });
  const changed = { ...identity, privateKey: next };
  await request(api, identity.nodeId);
  const back = await PeerAgent.connect(t, api.url, changed);
  back.send(answer(changed, identity.privateKey, { nonce: await nonceOf(back) }));
  t.match(await outcomeOf(back), { refused: /used before/ }, 'a replaced key never counts again');
  await t.rejects(enrollPeer(api, { privateKey: identity.privateKey }), /CONFLICT/, 'nor for another node');
});

t.test('a new key that was not requested ends the link', async (t) => {
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity);
  peer.send(answer(identity, newKey(), { nonce: Buffer.alloc(32) }));
  t.equal((await peer.waitForClose()).reason, 'CLOSE_PROTOCOL_ERROR');
});

t.test('a proof with a key that was replaced after the hello opens no link, and quarantines no node', async (t) => {
  const { api } = await startStack(t, {}, new FakeClock(Date.now()));
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity);
  const next = newKey();
  const late = await PeerAgent.dial(t, api.url, identity, {
    beforeProof: async () => {
      await request(api, identity.nodeId);
      peer.send(answer(identity, next, { nonce: await nonceOf(peer) }));
      await outcomeOf(peer);
    },
  });
  t.equal((await late.waitForClose()).reason, 'CLOSE_UNAUTHENTICATED');
  t.ok(peer.isOpen);
  t.match((await api.call('GET', `/v1/nodes/${identity.nodeId}`)).body.data, { status: 'online' });
});

t.test('only its owner may request a new key of a node, and not while it is banned', async (t) => {
  const owner = await createUserApi(controlPlane, 'another@test.example', 'user');
  const { nodeId } = await enrollPeer(owner);
  const path = `/v1/account/nodes/${nodeId}/rotate-key`;
  t.match(await api.call('POST', path), { status: 404, body: { error: { code: 'NODE_NOT_FOUND' } } });
  await api.call('POST', `/v1/admin/nodes/${nodeId}/ban`, { body: { reason: 'spam' } });
  t.match(await owner.call('POST', path), { status: 409, body: { error: { code: 'NODE_STATE_CONFLICT' } } });
});
