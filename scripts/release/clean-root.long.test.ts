import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { newKey } from './_support/built-release.js';
import { CleanRoot } from './_support/clean-root.js';
import { makeLaterRelease } from './_support/later-release.js';
import { main } from './index.js';
import { ReleaseKey } from './minisign.js';

const run = promisify(execFile);
const VERSION = '0.1.0';
const options = {
  timeout: 600_000,
  skip: missing(
    'permission to mount',
    'curl',
    'setpriv',
    'debootstrap',
    'unshare',
    'nsenter',
    'mount',
    'objdump',
    'tar',
    'sh',
  ),
};

/** A control plane from the archive of a release, which it serves. */
async function startFromArchive(t: Test) {
  const directory = await mkdtemp(join(tmpdir(), 'vantage-installed-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const key = newKey();
  await writeFile(join(directory, 'key.pem'), key);
  const code = await main([VERSION, '--out', directory, '--key', join(directory, 'key.pem')]);
  if (code !== 0) throw new Error(`no release: exit code ${code}`);
  const home = join(directory, 'control');
  await mkdir(home);
  const archive = join(directory, VERSION, `vantage-control-${VERSION}-linux-x64.tar.gz`);
  await run('tar', ['--extract', '--file', archive, '--strip-components=1', '--directory', home]);
  const served = join(directory, 'served');
  const serve = async (folder: string) => {
    await symlink(folder, `${served}.new`);
    await rename(`${served}.new`, served);
  };
  await serve(join(directory, VERSION));
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: directory,
    VANTAGE_DATA_DIR: join(directory, 'data'),
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    VANTAGE_RELEASE_DIR: served,
    VANTAGE_RELEASE_KEY: ReleaseKey.read(key).publicKey,
  };
  const program = join(home, 'bin', 'vantage-control');
  const server = spawn(program, ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('close', resolve));
  t.teardown(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: server.stdout })) {
    lines.push(line);
    const said = line.startsWith('{') ? JSON.parse(line) : {};
    if (said.msg === 'ready') {
      server.stdout.resume();
      const command = async (...args: readonly string[]) => (await run(program, args, { env })).stdout.trim();
      const offer = async (version: string, isBroken = false) => {
        const [from, folder] = [join(directory, VERSION), join(directory, version)];
        if (version !== VERSION) await makeLaterRelease({ from, folder, version, isBroken, key: ReleaseKey.read(key) });
        await serve(folder);
      };
      return { url: String(said.url), command, offer };
    }
  }
  throw new Error(`the control plane ended before it was ready: ${lines.join('\n')}`);
}

/** Record of a node, as far as it is read here. */
interface NodeRecord {
  readonly id: string;
  readonly status: string;
  readonly version: string;
  readonly upgrade: { readonly version: string; readonly state: string; readonly error: unknown } | null;
}

/** Starts and stops the agent where systemd does not run: as the user of its unit, with its one capability. */
const SERVICE = `#!/bin/sh
program=/opt/vantage-agent/current/bin/vantage-agent
case $1 in
  start)
    VANTAGE_ALLOW_TARGETS=127.0.0.0/8 VANTAGE_AGENT_UPGRADE_COMMAND=/opt/vantage-agent/request-upgrade \\
      setsid setpriv --reuid=vantage-agent --regid=vantage-agent --clear-groups --inh-caps=+net_raw --ambient-caps=+net_raw \\
      --bounding-set=-all,+net_raw $program run --state-dir /var/lib/vantage-agent >>/run/agent.log 2>&1 </dev/null &
    echo $! >/run/agent.pid ;;
  stop)
    pid=$(cat /run/agent.pid)
    kill "$pid" 2>/dev/null
    # a process that nothing waits for has no command line
    while grep -q . "/proc/$pid/cmdline" 2>/dev/null; do sleep 0.1; done ;;
esac
`;
/** Looks for the wanted version, as vantage-agent-upgrade.path does. */
const PATH_UNIT = `while sleep 0.2; do
  [ ! -e /var/lib/vantage-agent/upgrade.wanted ] || /opt/vantage-agent/install-agent --upgrade-wanted --health-within 10
done >>/run/upgrade.log 2>&1`;

t.test(
  'one line in a bare Debian without Node.js brings a node online, its control plane upgrades it, and another line removes all of it',
  options,
  async (t) => {
    const { url, command, offer } = await startFromArchive(t);
    await command('user', 'create', '--email', 'admin@example.com', '--role', 'admin');
    const admin = await command('token', 'create', '--user', 'admin@example.com', '--scopes', 'admin');
    const token = await command('enrollment-token', 'create');
    const root = await CleanRoot.make(t);
    t.notMatch(await root.run(['sh', '-c', 'command -v node npm gcc python3']), { code: 0 }, 'nothing helps it');
    const places = ['/opt', '/usr/local', '/etc/vantage', '/etc/systemd/system', '/var/lib/vantage-agent', '/tmp'];
    const before = await root.files(...places);
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
      const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
      return ((await response.json()) as { data: NodeRecord & { items: NodeRecord[] } }).data;
    };
    const node = async () => (await call('GET', '/v1/admin/nodes')).items[0] as NodeRecord;
    const nodeIs = async (says: string, isSo: (found: NodeRecord) => boolean) => {
      const end = Date.now() + 60_000;
      for (;;) {
        const found = await node();
        if (isSo(found)) return found;
        if (Date.now() > end) throw new Error(`not ${says}: ${JSON.stringify(found)}\n${await upgradeLog()}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    const upgradeLog = async () => (await root.run(['cat', '/run/upgrade.log', '/run/agent.log'])).stdout;

    const line = `curl -fsSL ${url}/install.sh | sh -s -- --token-file /run/token --name bare`;
    await root.run(['sh', '-c', 'cat > /run/token'], `${token}\n`);
    const installed = await root.run(['sh', '-c', line]);
    t.match(installed, { code: 0 }, installed.stderr);
    t.match(installed.stdout, /enrolled as n_\w+/);
    t.notMatch(installed.stdout + installed.stderr, token);
    await writeFile(join(root.path, 'etc/vantage/service'), SERVICE, { mode: 0o755 });
    await writeFile(join(root.path, 'run/path-unit'), PATH_UNIT);
    await root.run(['/etc/vantage/service', 'start']);
    const watcher = root.start(['sh', '/run/path-unit']);
    t.teardown(() => watcher.kill('SIGKILL'));

    const measures = async (t: Test) => {
      const answer = await fetch(`${url}/v1/probe/ping`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ target: '127.0.0.1', params: { count: 1 } }),
      });
      const { data } = (await answer.json()) as { data: { task_id: string } };
      const task = await (await fetch(`${url}/v1/probe/tasks/${data.task_id}?wait=20`)).json();
      t.match(task, { data: { status: 'completed', summary: { success_count: 1 } } });
    };
    const epoch = async () =>
      JSON.parse(await readFile(join(root.path, 'var/lib/vantage-agent/status.json'), 'utf8')).spool.epoch;
    const upgrade = async (version: string) => {
      const { id } = await node();
      await call('POST', `/v1/admin/nodes/${id}/upgrade`, { version });
      return nodeIs(
        `upgraded to ${version}`,
        ({ upgrade: last }) => last?.version === version && ['done', 'failed'].includes(last.state),
      );
    };

    await t.test('the node is online, as the user of its unit, and measures', async (t) => {
      await nodeIs('online', ({ status }) => status === 'online');
      await measures(t);
    });

    await t.test('the control plane upgrades the node', async (t) => {
      const spool = await epoch();
      await offer('0.1.1');
      t.match(await upgrade('0.1.1'), { version: '0.1.1', upgrade: { state: 'done' } }, await upgradeLog());
      await nodeIs('online', ({ status }) => status === 'online');
      await measures(t);
      t.equal(await epoch(), spool, 'its spool goes on');
    });

    await t.test('a version that does not run is rolled back, and the control plane learns why', async (t) => {
      await offer('0.1.2', true);
      t.match(await upgrade('0.1.2'), {
        version: '0.1.1',
        upgrade: {
          state: 'failed',
          error: { code: 'NODE_UPGRADE_FAILED', message: /^0\.1\.2 was not healthy: .*; 0\.1\.1 runs again$/ },
        },
      });
      await nodeIs('online', ({ status }) => status === 'online');
      await measures(t);
    });

    await t.test('an older version is refused', async (t) => {
      await offer(VERSION);
      t.match(await upgrade(VERSION), {
        version: '0.1.1',
        upgrade: { state: 'failed', error: { message: /^0\.1\.1 is installed, which is newer than 0\.1\.0/ } },
      });
    });

    const again = await root.run(['sh', '-c', `curl -fsSL ${url}/install.sh | sh -s -- --allow-older`]);
    t.match(again, { code: 0, stdout: /enrolled already/ }, again.stderr);
    const removed = await root.run(['sh', '-c', `curl -fsSL ${url}/install.sh | sh -s -- --uninstall --purge`]);
    t.match(removed, { code: 0, stdout: /delete it there/ }, removed.stderr);
    await root.run(['rm', '/etc/vantage/service']);
    t.strictSame(await root.files(...places), before, 'nothing is left behind');
    t.notMatch(await root.run(['id', 'vantage-agent']), { code: 0 });
  },
);
