import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import { isSignedBy } from '@vantage/shared/minisign.js';
import t from 'tap';
import { newKey } from './_support/built-release.js';
import { ReleaseKey } from './minisign.js';

const run = promisify(execFile);
const content = Buffer.from('vantage-release 1\nversion 0.1.0\n');

t.test('a signature is verified by minisign', { skip: missing('minisign') }, async (t) => {
  const key = ReleaseKey.read(newKey());
  const folder = await mkdtemp(join(tmpdir(), 'vantage-minisign-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'manifest'), content);
  await writeFile(join(folder, 'manifest.minisig'), key.sign(content, 'vantage 0.1.0'));
  const { stdout } = await run('minisign', ['-V', '-P', key.publicKey, '-m', join(folder, 'manifest')]);
  t.match(stdout, /Signature and comment signature verified\nTrusted comment: vantage 0\.1\.0/);
});

t.test('another content, key or comment, and text that is no signature, are refused', async (t) => {
  const [key, other] = [ReleaseKey.read(newKey()), ReleaseKey.read(newKey())];
  const signature = key.sign(content, 'vantage 0.1.0');
  t.ok(isSignedBy(key.publicKey, content, signature));
  t.notOk(isSignedBy(key.publicKey, Buffer.concat([content, Buffer.from('\n')]), signature));
  t.notOk(isSignedBy(other.publicKey, content, signature));
  t.notOk(isSignedBy(key.publicKey, content, other.sign(content, 'vantage 0.1.0')));
  t.notOk(isSignedBy(key.publicKey, content, signature.replace('comment: vantage 0.1.0', 'comment: vantage 0.1.1')));
  for (const nonsense of ['', 'a\nb\nc\nd\n', signature.slice(0, 80)])
    t.notOk(isSignedBy(key.publicKey, content, nonsense));
});

t.test('a key of another kind is refused', async (t) => {
  const { generateKeyPairSync } = await import('node:crypto');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  t.throws(() => ReleaseKey.read(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()), /not Ed25519/);
});
