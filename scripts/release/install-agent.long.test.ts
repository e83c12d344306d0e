import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { type BuiltRelease, buildRelease, newKey } from './_support/built-release.js';
import { manifestText, parseManifest } from './manifest.js';
import { ReleaseKey } from './minisign.js';

const SCRIPT = fileURLToPath(new URL('../../../control-plane/install/install-agent', import.meta.url));
const options = { skip: missing('openssl', 'curl', 'shellcheck', 'objdump', 'tar') };

/** A user's home, in which the agent is installed. */
async function newHome(t: Test): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'vantage-home-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  return home;
}

interface Run {
  readonly release?: string;
  readonly key?: string;
  readonly args?: readonly string[];
  readonly killAfterMs?: number;
  readonly input?: string;
}

/** Runs the script as a user without systemd's session. */
async function install(
  home: string,
  built: BuiltRelease,
  { release, key, args = ['--no-enroll'], killAfterMs, input }: Run = {},
) {
  const words = [SCRIPT, '--user', '--release', release ?? built.folder, '--key', key ?? built.key, ...args];
  const child = spawn('sh', words, {
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: home, TMPDIR: home },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // the script may have ended without reading
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  if (killAfterMs !== undefined) setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), killAfterMs);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, stdout, stderr };
}

/** Version that the installed agent reports; null if none is installed. */
async function installed(home: string): Promise<string | null> {
  const command = join(home, '.local/bin/vantage-agent');
  const child = spawn(command, ['--version'], { env: { PATH: '/usr/bin:/bin' }, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    text(child.stdout).then(
      (said) => resolve(said.trim() || null),
      () => resolve(null),
    );
  });
}

const INSTALLED = ['0.1.0', 'current', 'install-agent', 'request-upgrade', 'units.sha256'];
const folders = async (home: string) => (await readdir(join(home, '.local/lib/vantage-agent'))).sort();

t.test('install-agent', options, async (t) => {
  const built = await buildRelease(t);

  await t.test('is a script of POSIX sh without complaints of shellcheck', async (t) => {
    const child = spawn('shellcheck', ['-s', 'sh', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.equal(await text(child.stdout), '');
  });

  await t.test(
    'installs without Node.js, is run again without a change, and removes all but what it names',
    async (t) => {
      const home = await newHome(t);
      const first = await install(home, built);
      t.match(first, { code: 0, stderr: '' });
      t.match(first.stdout, /vantage-agent 0\.1\.0 is installed in /);
      t.equal(await installed(home), '0.1.0');
      t.strictSame(await folders(home), INSTALLED);
      const again = await install(home, built);
      t.match(again.stdout, /is there already/);
      const unit = join(home, '.config/systemd/user/vantage-agent.service');
      t.match(
        await readFile(unit, 'utf8'),
        new RegExp(`ExecStart=${home}/.local/lib/vantage-agent/current/bin/vantage-agent run`),
      );
      const gone = await install(home, built, { args: ['--uninstall'] });
      t.match(gone, {
        code: 0,
        stdout: /Kept, until --uninstall --purge:\n.*\.local\/state\/vantage-agent and .*agent\.env/,
      });
      t.equal(await installed(home), null);
      const purged = await install(home, built, { args: ['--uninstall', '--purge'] });
      t.equal(purged.code, 0);
      t.strictSame(await readdir(join(home, '.local/state')), []);
    },
  );

  await t.test('a dry run prints every command and changes nothing', async (t) => {
    const home = await newHome(t);
    const { code, stdout } = await install(home, built, { args: ['--no-enroll', '--dry-run'] });
    t.equal(code, 0);
    t.match(stdout, /^\+ tar --extract --gzip .*\n/m);
    t.match(stdout, /^\+ mv -fT .*\.current .*current$/m);
    t.match(stdout, /\ndry run: nothing was changed\n$/);
    t.notMatch(stdout, /is installed/);
    t.strictSame(await readdir(home), []);
  });

  await t.test('a unit and settings that were edited are kept', async (t) => {
    const home = await newHome(t);
    await install(home, built);
    const unit = join(home, '.config/systemd/user/vantage-agent.service');
    const settings = join(home, '.config/vantage/agent.env');
    await appendFile(unit, '# mine\n');
    await appendFile(settings, 'VANTAGE_LOG_LEVEL=debug\n');
    const { code, stderr } = await install(home, built);
    t.equal(code, 0);
    t.match(stderr, /was written or changed by somebody else: kept/);
    t.match(await readFile(unit, 'utf8'), /# mine/);
    t.match(await readFile(settings, 'utf8'), /debug/);
  });

  const damages: Readonly<
    Record<string, { readonly damage: (folder: string) => Promise<unknown>; readonly says: RegExp }>
  > = {
    'an archive of which a byte was changed': {
      damage: async (folder) => {
        const file = join(folder, built.archive);
        const bytes = await readFile(file);
        bytes[1_000_000] = (bytes[1_000_000] ?? 0) ^ 1;
        await writeFile(file, bytes);
      },
      says: /another checksum/,
    },
    'a download that ended early': {
      damage: (folder) => truncate(join(folder, built.archive), 1_000),
      says: /another size/,
    },
    'a manifest that was changed': {
      damage: (folder) => appendFile(join(folder, 'manifest'), 'file evil 1 2\n'),
      says: /signature of the manifest/,
    },
    'a signature that was changed': {
      damage: (folder) => writeFile(join(folder, 'manifest.minisig'), 'untrusted comment: x\nQUJD\n'),
      says: /signature/,
    },
    'the signature of another key': {
      damage: (folder) => built.signAs(ReleaseKey.read(newKey()), folder),
      says: /signature of the manifest/,
    },
    'an archive that is missing': {
      damage: (folder) => rm(join(folder, built.archive)),
      says: /there is no vantage-agent/,
    },
  };

  await t.test('refuses what was tampered with, and the agent that is there still runs', async (t) => {
    const home = await newHome(t);
    await install(home, built);
    const before = await folders(home);
    await rm(join(home, '.local/lib/vantage-agent/0.1.0/archive.sha256'));
    for (const [name, { damage, says }] of Object.entries(damages)) {
      const release = await built.copy(name.replaceAll(' ', '-'));
      await damage(release);
      const { code, stderr } = await install(home, built, { release });
      t.match({ code, stderr }, { code: 1, stderr: says }, name);
      t.strictSame(await folders(home), before, name);
      t.equal(await installed(home), '0.1.0', name);
      await rm(release, { recursive: true });
    }
  });

  await t.test('refuses an older version without --allow-older', async (t) => {
    const home = await newHome(t);
    await mkdir(join(home, '.local/lib/vantage-agent/0.2.0'), { recursive: true });
    await symlink('0.2.0', join(home, '.local/lib/vantage-agent/current'));
    t.match(await install(home, built), {
      code: 1,
      stderr: /0\.2\.0 is installed, which is newer than 0\.1\.0: --allow-older/,
    });
    t.equal(await readlink(join(home, '.local/lib/vantage-agent/current')), '0.2.0');
    t.match(await install(home, built, { args: ['--no-enroll', '--allow-older'] }), { code: 0 });
    t.equal(await installed(home), '0.1.0');
  });

  await t.test('refuses a system whose C library is too old', async (t) => {
    const home = await newHome(t);
    const release = await built.copy('new-glibc');
    const manifest = { ...parseManifest(await readFile(join(release, 'manifest'), 'utf8')), glibc: '9.1' };
    await writeFile(join(release, 'manifest'), manifestText(manifest));
    const key = ReleaseKey.read(newKey());
    await built.signAs(key, release);
    t.match(await install(home, built, { release, key: key.publicKey }), {
      code: 1,
      stderr: /the agent needs 9\.1 or newer/,
    });
  });

  await t.test('a server that sends pages instead of files is refused by the signature', async (t) => {
    const server = createServer((_request, response) => response.end('<html>Welcome</html>')).listen(0, '127.0.0.1');
    t.teardown(() => server.close());
    await once(server, 'listening');
    const release = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const home = await newHome(t);
    t.match(await install(home, built, { release }), { code: 1, stderr: /signature/ });
    t.equal(await installed(home), null);
  });

  await t.test('arguments that are none are refused before anything is done', async (t) => {
    const home = await newHome(t);
    const cases: readonly [readonly string[], RegExp][] = [
      [['--version', '../../etc'], /"\.\.\/\.\.\/etc" is no version/],
      [['--version', '--help'], /"--help" is no version/],
      [['--token', 'ent_abc'], /visible to others/],
      [['--colour'], /unknown option --colour/],
      [['--url'], /--url needs a value/],
      [['--url', 'http://127.0.0.1:1', '--token', '-'], /no enrollment token/],
    ];
    for (const [args, says] of cases)
      t.match(await install(home, built, { args, input: 'ent_a b\n' }), { code: 1, stderr: says }, args.join(' '));
    t.match(await install(home, built, { key: 'short' }), { code: 1, stderr: /not one of minisign/ });
  });

  await t.test('killed at any time it leaves the agent that was there, and a second run finishes', async (t) => {
    for (const killAfterMs of [10, 40, 80, 150, 250, 400, 600, 900]) {
      const home = await newHome(t);
      await install(home, built, { killAfterMs });
      const half = await installed(home);
      t.ok(half === null || half === '0.1.0', `after ${killAfterMs} ms`);
      t.match(await install(home, built), { code: 0 }, `after ${killAfterMs} ms`);
      t.equal(await installed(home), '0.1.0');
      t.strictSame(await folders(home), INSTALLED);
    }
  });
});
