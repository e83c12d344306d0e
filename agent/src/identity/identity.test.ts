import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isSignatureValid, rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import t from 'tap';
import { findIdentity, type Identity, openIdentity, saveIdentity } from './identity.js';
import { findKey, loadOrMakeKey } from './key.js';

function anIdentity(parts: Partial<Identity> = {}): Identity {
  const { publicKey } = generateKeyPairSync('ed25519');
  return {
    nodeId: newId(idPrefixes.node),
    name: 'berlin-1',
    controlUrls: ['https://vantage.example'],
    serverPublicKey: rawPublicKey(publicKey).toString('base64'),
    audience: 'https://vantage.example',
    enrolledAt: '2026-01-01T00:00:00.000Z',
    ...parts,
  };
}

t.test('an identity comes back as it was saved, for its owner only', async (t) => {
  const umask = process.umask(0);
  t.teardown(() => process.umask(umask));
  const stateDir = t.testdir();
  t.equal(await findIdentity(stateDir), null);
  for (const identity of [anIdentity(), anIdentity({ name: null })]) {
    await saveIdentity(stateDir, identity);
    t.same(await findIdentity(stateDir), identity);
  }
  t.equal(statSync(join(stateDir, 'identity.json')).mode & 0o777, 0o600);
  t.same(readdirSync(stateDir), ['identity.json'], 'no temporary file is left');
});

t.test('learned control URLs are stored for the next process, and nothing else of the identity changes', async (t) => {
  const stateDir = t.testdir();
  const before = anIdentity();
  await loadOrMakeKey(stateDir);
  await saveIdentity(stateDir, before);
  const controlUrls = ['https://one.example', 'https://two.example'];
  await (await openIdentity(stateDir)).keepControlUrls(controlUrls);
  t.same(await findIdentity(stateDir), { ...before, controlUrls });
});

t.test('a damaged identity is refused by name, never half used', async (t) => {
  const stateDir = t.testdir();
  const path = join(stateDir, 'identity.json');
  await saveIdentity(stateDir, anIdentity());
  const good = readFileSync(path, 'utf8');
  const document = JSON.parse(good);
  const cases = [
    { name: 'empty', text: '' },
    { name: 'cut off', text: good.slice(0, 60) },
    { name: 'a list', text: '[]' },
    ...Object.keys(document).map((member) => ({
      name: `without ${member}`,
      text: JSON.stringify({ ...document, [member]: undefined }),
    })),
    { name: 'no node id', text: JSON.stringify({ ...document, node_id: 'n_1' }) },
    { name: 'no URL', text: JSON.stringify({ ...document, control_urls: [] }) },
    { name: 'another scheme', text: JSON.stringify({ ...document, control_urls: ['ftp://vantage.example'] }) },
    {
      name: 'a worthless key',
      text: JSON.stringify({ ...document, server_public_key: Buffer.alloc(32).toString('base64') }),
    },
  ];
  for (const { name, text } of cases) {
    writeFileSync(path, text);
    await t.rejects(
      findIdentity(stateDir),
      { name: 'StateFileError', message: `"${path}" is damaged: restore it, or enroll this node again` },
      name,
    );
  }
});

t.test('a key is made once, and is on the disk for its owner only', async (t) => {
  const stateDir = t.testdir();
  t.equal(await findKey(stateDir), null);
  const key = await loadOrMakeKey(stateDir);
  t.ok((await loadOrMakeKey(stateDir)).equals(key));
  t.equal(statSync(join(stateDir, 'key.pem')).mode & 0o777, 0o600);
  t.match(readFileSync(join(stateDir, 'key.pem'), 'utf8'), /^-----BEGIN PRIVATE KEY-----\n/);
});

t.test('a key that others may read, or that is invalid, is refused without showing it', async (t) => {
  const stateDir = t.testdir();
  const path = join(stateDir, 'key.pem');
  await loadOrMakeKey(stateDir);
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(path, mode);
    await t.rejects(
      findKey(stateDir),
      { name: 'StateFileError', message: /readable by other users/ },
      mode.toString(8),
    );
  }
  chmodSync(path, 0o600);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'pem', type: 'pkcs8' });
  for (const content of ['', 'not a key', rsa]) {
    writeFileSync(path, content);
    await t.rejects(loadOrMakeKey(stateDir), {
      name: 'StateFileError',
      message: `"${path}" is not an Ed25519 private key`,
    });
    t.equal(readFileSync(path, 'utf8'), content, 'and is not replaced');
  }
});

t.test('an enrolled node can prove who it is, with a new generation for every connection', async (t) => {
  const stateDir = t.testdir();
  await t.rejects(openIdentity(stateDir), { name: 'NotEnrolledError', message: /run `vantage-agent enroll` first/ });
  const key = await loadOrMakeKey(stateDir);
  const identity = anIdentity();
  await saveIdentity(stateDir, identity);
  const node = await openIdentity(stateDir);
  t.match(node, { nodeId: identity.nodeId, audience: identity.audience, controlUrls: identity.controlUrls });
  t.ok(isSignatureValid(key, Buffer.from('x'), signBytes(node.keys.current.privateKey, Buffer.from('x'))));
  t.ok(rawPublicKey(key).equals(node.keys.current.publicKey));
  t.equal(rawPublicKey(node.serverPublicKey).toString('base64'), identity.serverPublicKey);
  t.same([await node.nextGeneration(), await node.nextGeneration()], [1, 2]);
  t.ok(existsSync(join(stateDir, 'generation')));

  rmSync(join(stateDir, 'key.pem'));
  await t.rejects(openIdentity(stateDir), { name: 'StateFileError', message: /key of n_.* is missing/ });
});
