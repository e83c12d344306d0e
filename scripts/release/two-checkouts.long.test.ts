import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { newKey } from './_support/built-release.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGES = ['agent', 'control-plane', 'scripts', 'shared'];
/** Folders that a build makes. */
const DERIVED = new Set(['.cache', '.git', 'dist', 'generated', 'node_modules']);

/** Copies the sources to `folder`, with links to the installed packages, as if they had been installed there. */
async function checkOut(folder: string): Promise<void> {
  await cp(ROOT, folder, { recursive: true, filter: (path) => path === ROOT || !DERIVED.has(basename(path)) });
  for (const place of ['.', ...PACKAGES]) {
    const names = await readdir(join(ROOT, place));
    if (names.includes('node_modules'))
      await run('cp', ['--archive', '--link', join(ROOT, place, 'node_modules'), join(folder, place, 'node_modules')]);
  }
}

/** Builds the agent's release of a checkout; returns its checksums, and the files of the control plane's program. */
async function release(root: string, settings: { out: string; key: string; umask: string; env: object }) {
  const { out, key, umask, env } = settings;
  const npm = process.env['npm_execpath'] ?? '';
  const words = [
    process.execPath,
    npm,
    'run',
    '-s',
    'release',
    '--',
    '0.1.0',
    '--only',
    'vantage-agent',
    '--out',
    out,
    '--key',
    key,
  ];
  await run('sh', ['-c', `umask ${umask} && exec "$@"`, 'sh', ...words], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  const program = join(root, 'control-plane/dist/program');
  const files = (await readdir(program)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(program, name), 'utf8')));
  const sums = await readFile(join(out, '0.1.0', 'SHA256SUMS'), 'utf8');
  return { sums, program: files.map((name, index) => `${name}\n${texts[index]}`) };
}

t.test(
  'two checkouts in two folders, by users with other umasks, zones and languages, are built to the same bytes',
  { skip: missing('sh', 'cp', 'tar', 'objdump') },
  async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'vantage-checkouts-'));
    t.teardown(() => rm(directory, { recursive: true, force: true }));
    const key = join(directory, 'key.pem');
    await writeFile(key, newKey());
    const other = join(directory, 'a folder', 'of another name');
    await mkdir(join(directory, 'a folder'));
    await checkOut(other);
    const here = await release(ROOT, {
      out: join(directory, 'here'),
      key,
      umask: '022',
      env: { TZ: 'UTC', LC_ALL: 'C' },
    });
    const there = await release(other, {
      out: join(directory, 'there'),
      key,
      umask: '077',
      env: { TZ: 'Asia/Kathmandu', LC_ALL: 'C.UTF-8', LANG: 'de_DE' },
    });
    t.match(here.sums, /^[0-9a-f]{64} {2}vantage-agent-0\.1\.0-linux-x64\.tar\.gz$/m);
    t.equal(there.sums, here.sums);
    t.strictSame(there.program, here.program);
  },
);
