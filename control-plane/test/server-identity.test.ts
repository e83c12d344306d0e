import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { publicKeyFromRaw } from '@vantage/shared/protocol/ed25519.js';
import t from 'tap';
import { loadServerIdentity } from '../src/links/index.js';
import { createTestDatabase } from './_support/database.js';
import { enrollBody } from './_support/peer-agent.js';
import { apiOf, startReplica, startStack } from './_support/stack.js';

const key = Buffer.alloc(32, 1);
const { db } = await createTestDatabase(t);

t.test('an identity is created once and is the same for every replica, even if they start together', async (t) => {
  const together = await Promise.all(Array.from({ length: 5 }, () => loadServerIdentity(db, key)));
  const later = await loadServerIdentity(db, key);
  for (const { privateKey, publicKey } of together) {
    t.same(publicKey, later.publicKey);
    t.same(
      privateKey.export({ format: 'der', type: 'pkcs8' }),
      later.privateKey.export({ format: 'der', type: 'pkcs8' }),
    );
  }
  const message = Buffer.from('hello');
  t.equal(verify(null, message, publicKeyFromRaw(later.publicKey), sign(null, message, later.privateKey)), true);
});

t.test('the private key is in the database only in sealed form', async (t) => {
  const { privateKey, publicKey } = await loadServerIdentity(db, key);
  const { rows } = await db.raw('SELECT public_key, sealed_private_key FROM server_identity');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const seed = der.subarray(-32);
  t.same(rows[0].public_key, publicKey);
  t.notOk(rows[0].sealed_private_key.includes(seed));
  t.same(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32), publicKey);
});

t.test('another secret key, or a changed byte, opens nothing', async (t) => {
  await loadServerIdentity(db, key);
  const wrong = { name: 'WrongSecretKeyError', message: /secret key does not decrypt the identity/ };
  await t.rejects(loadServerIdentity(db, Buffer.alloc(32, 2)), wrong);
  t.equal((await db('server_identity').count('* as n'))[0]?.['n'], 1, 'and replaces nothing');
  for (const index of [0, 12, 28, 60]) {
    await db.raw(
      `UPDATE server_identity SET sealed_private_key = set_byte(sealed_private_key, ?, 255 - get_byte(sealed_private_key, ?))`,
      [index, index],
    );
    await t.rejects(loadServerIdentity(db, key), wrong, `byte ${index}`);
    await db.raw(
      `UPDATE server_identity SET sealed_private_key = set_byte(sealed_private_key, ?, 255 - get_byte(sealed_private_key, ?))`,
      [index, index],
    );
  }
  for (const length of [20, 13, 5, 0]) {
    await db.raw('UPDATE server_identity SET sealed_private_key = substr(sealed_private_key, 1, ?)', [length]);
    await t.rejects(loadServerIdentity(db, key), wrong, `cut off after ${length} bytes`);
  }
});

t.test(
  'a control plane with another secret key does not start next to the first, one with the same has its identity',
  async (t) => {
    const { api, database, controlPlane } = await startStack(t);
    const wrong = startReplica(t, database.url, { VANTAGE_SECRET_KEY: Buffer.alloc(32, 9).toString('hex') });
    await t.rejects(wrong, { name: 'WrongSecretKeyError' });
    t.strictSame(await database.db('replicas').pluck('id'), [controlPlane.replicaId], 'it never registered');
    const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });
    const { token } = (await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} })).body.data;
    const body = enrollBody(token, generateKeyPairSync('ed25519').privateKey, api.url);
    const keyOf = async ({ listenUrl }: { listenUrl: string }) =>
      (await apiOf(listenUrl, api.token, api.userId).call('POST', '/v1/nodes/enroll', { body, as: null })).body.data
        .server_public_key;
    const [mine, theirs] = [await keyOf(controlPlane), await keyOf(other)];
    t.equal(mine, theirs);
    const [stored] = await database.db('server_identity').pluck('public_key');
    t.equal(mine, stored.toString('base64'));
  },
);
