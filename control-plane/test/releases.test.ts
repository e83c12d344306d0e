import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const KEY = `RW${'a'.repeat(54)}`;
const ARCHIVE = 'vantage-agent-0.1.0-linux-x64.tar.gz';

t.test('a control plane without a release serves a script that asks for one, and no files', async (t) => {
  const { api } = await startStack(t);
  const script = await fetch(`${api.url}/install.sh`);
  t.equal(script.status, 200);
  t.equal(script.headers.get('content-type'), 'text/x-shellscript; charset=utf-8');
  const text = await script.text();
  t.match(text, /^#!\/bin\/sh\n/);
  t.match(text, `\nDEFAULT_URL='${api.url}'\nDEFAULT_RELEASE=''\nDEFAULT_KEY=''\n`);
  const manifest = await fetch(`${api.url}/release/manifest`);
  t.equal(manifest.status, 503);
  t.match(await manifest.text(), 'set VANTAGE_RELEASE_DIR');
});

t.test('a release is served byte for byte: what its manifest names, and nothing else of its folder', async (t) => {
  const folder = await temporaryDirectory(t);
  const archive = Buffer.alloc(3_000_000, 'vantage');
  const manifest = `vantage-release 1\nversion 0.1.0\nfile ${ARCHIVE} ${archive.length} ${'0'.repeat(64)}\nfile missing.tar.gz 1 00\n`;
  await writeFile(join(folder, ARCHIVE), archive);
  await writeFile(join(folder, 'manifest'), manifest);
  await writeFile(join(folder, 'key.pem'), 'secret');
  const { api } = await startStack(t, { VANTAGE_RELEASE_DIR: folder, VANTAGE_RELEASE_KEY: KEY });
  const get = (name: string) => fetch(`${api.url}/release/${name}`);

  const script = await (await fetch(`${api.url}/install.sh`)).text();
  t.match(script, `\nDEFAULT_RELEASE='${api.url}/release'\nDEFAULT_KEY='${KEY}'\n`);
  t.equal(await (await get('manifest')).text(), manifest);
  const whole = Buffer.from(await (await get(ARCHIVE)).arrayBuffer());
  t.equal(sha256(whole), sha256(archive));
  const head = await fetch(`${api.url}/release/${ARCHIVE}`, { method: 'HEAD' });
  t.equal(head.headers.get('content-length'), String(archive.length));
  for (const name of [
    'key.pem',
    'missing.tar.gz',
    'manifest.minisig',
    '..%2Fmanifest',
    '%2E%2E%2F%2E%2E%2Fetc%2Fpasswd',
    '.',
  ])
    t.equal((await get(name)).status, 404, name);
});

t.test('the client is served as one file that has the address and the key of its server', async (t) => {
  const { api } = await startStack(t, { VANTAGE_RELEASE_KEY: KEY });
  const response = await fetch(`${api.url}/vantage`);
  t.equal(response.headers.get('content-type'), 'text/x-shellscript; charset=utf-8');
  const text = await response.text();
  t.match(text, /^#!\/bin\/sh\n/);
  t.match(text, `,"url":"${api.url}","key":"${KEY}"};\n`);
  const guide = await (await fetch(`${api.url}/docs/guide`)).text();
  t.match(guide, `curl -fsSL ${api.url}/vantage`);
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
