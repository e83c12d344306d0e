import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readClient, releasedClient, withFacts } from 'vantage-control/client-file.js';
import { newKey } from './_support/built-release.js';
import { serveRelease } from './_support/release-server.js';
import { manifestText } from './manifest.js';
import { ReleaseKey } from './minisign.js';

const key = ReleaseKey.read(newKey());
const version = '0.1.0';

/** Runs the client at `file`; `path`: PATH. */
function run(file: string, args: readonly string[], path = process.env['PATH']) {
  const env = { PATH: path, HOME: '/nonexistent' };
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(file, args, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

async function writeProgram(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  await chmod(file, 0o755);
}

async function builtClient(): Promise<string> {
  const client = await readClient();
  if (client === null) throw new Error('the client is not built');
  return client;
}

/** A folder with a signed release of this client. */
async function aRelease(t: Test): Promise<string> {
  const client = releasedClient(await builtClient(), version);
  const sha256 = createHash('sha256').update(client).digest('hex');
  const files = [{ name: 'vantage', bytes: Buffer.byteLength(client), sha256 }];
  const manifest = manifestText({ version, node: { version: '20.20.0', sha256 }, glibc: '2.34', files });
  return t.testdir({ manifest, 'manifest.minisig': key.sign(Buffer.from(manifest), 'test') });
}

t.test(
  'the client as one file runs alone, uses its server, and verifies itself against the signed release',
  async (t) => {
    const { url, asked } = await serveRelease(t, await aRelease(t));
    const file = join(t.testdirName, 'vantage');
    const served = withFacts(await builtClient(), { version, url, key: key.publicKey });
    await writeProgram(file, served);
    // that of a folder with ES modules
    await writeFile(join(t.testdirName, 'package.json'), '{"type":"module"}');
    t.match(await run(file, ['--version']), { code: 0, stdout: `${version}\n` });
    t.match(await run(file, ['verify']), {
      code: 0,
      stdout: `this file is that of release ${version}, signed with the key`,
    });
    t.match(await run(file, ['nodes']), { code: 3 });
    t.ok(asked.some((path) => path.startsWith('/v1/nodes')));

    await writeProgram(file, `${served}//`);
    t.match(await run(file, ['verify']), { code: 1, stderr: /is not that of release/ });
    const other = ReleaseKey.read(newKey()).publicKey;
    t.match(await run(file, ['verify', '--key', other]), { code: 1, stderr: /is not signed with the key/ });
  },
);

t.test('the client as one file says which Node.js it needs', async (t) => {
  const folder = t.testdir({
    'old.cjs': "Object.defineProperty(process.versions, 'node', { value: '18.19.0' });",
  });
  const file = join(folder, 'vantage');
  await writeProgram(file, await builtClient());
  await mkdir(join(folder, 'none'));
  await writeProgram(join(folder, 'node'), `#!/bin/sh\nexec '${process.execPath}' -r '${folder}/old.cjs' "$@"\n`);
  t.match(await run(file, ['--version'], `${folder}:/usr/bin:/bin`), {
    code: 2,
    stderr: 'vantage needs Node.js 20.20 or later, and this is 18.19.0\n',
  });
  t.match(await run('/bin/sh', [file, '--version'], join(folder, 'none')), { code: 2, stderr: /node is not in PATH/ });
});
