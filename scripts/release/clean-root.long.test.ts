import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { newKey } from './_support/built-release.js';
import { CleanRoot } from './_support/clean-root.js';
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
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: directory,
    VANTAGE_DATA_DIR: join(directory, 'data'),
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
    VANTAGE_RELEASE_DIR: join(directory, VERSION),
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
      return { url: String(said.url), command };
    }
  }
  throw new Error(`the control plane ended before it was ready: ${lines.join('\n')}`);
}

t.test(
  'one line in a bare Debian without Node.js brings a node online, and another removes all of it',
  options,
  async (t) => {
    const { url, command } = await startFromArchive(t);
    await command('user', 'create', '--email', 'admin@example.com', '--role', 'admin');
    const token = await command('enrollment-token', 'create');
    const root = await CleanRoot.make(t);
    t.notMatch(await root.run(['sh', '-c', 'command -v node npm gcc python3']), { code: 0 }, 'nothing helps it');
    const places = ['/opt', '/usr/local', '/etc/vantage', '/etc/systemd/system', '/var/lib/vantage-agent', '/tmp'];
    const before = await root.files(...places);

    const line = `curl -fsSL ${url}/install.sh | sh -s -- --token-file /run/token --name bare`;
    await root.run(['sh', '-c', 'cat > /run/token'], `${token}\n`);
    const installed = await root.run(['sh', '-c', line]);
    t.match(installed, { code: 0 }, installed.stderr);
    t.match(installed.stdout, /enrolled as n_\w+/);
    t.notMatch(installed.stdout + installed.stderr, token);

    await t.test('the node is online, as the user of its unit, and measures', async (t) => {
      const rights = [
        '--clear-groups',
        '--inh-caps=+net_raw',
        '--ambient-caps=+net_raw',
        '--bounding-set=-all,+net_raw',
      ];
      const program = ['/opt/vantage-agent/current/bin/vantage-agent', 'run', '--state-dir', '/var/lib/vantage-agent'];
      const user = ['--reuid=vantage-agent', '--regid=vantage-agent'];
      const agent = root.start(['setpriv', ...user, ...rights, 'env', 'VANTAGE_ALLOW_TARGETS=127.0.0.0/8', ...program]);
      for await (const said of createInterface({ input: agent.stderr })) if (said.includes('"link open"')) break;
      agent.stderr.resume();
      const answer = await fetch(`${url}/v1/probe/ping`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ target: '127.0.0.1', params: { count: 1 } }),
      });
      const { data } = (await answer.json()) as { data: { task_id: string } };
      const task = await (await fetch(`${url}/v1/probe/tasks/${data.task_id}?wait=20`)).json();
      t.match(task, { data: { status: 'completed', summary: { success_count: 1 } } });
      await root.stop(agent);
    });

    const again = await root.run(['sh', '-c', `curl -fsSL ${url}/install.sh | sh`]);
    t.match(again, { code: 0, stdout: /enrolled already/ }, again.stderr);
    const removed = await root.run(['sh', '-c', `curl -fsSL ${url}/install.sh | sh -s -- --uninstall --purge`]);
    t.match(removed, { code: 0, stdout: /delete it there/ }, removed.stderr);
    t.strictSame(await root.files(...places), before, 'nothing is left behind');
    t.notMatch(await root.run(['id', 'vantage-agent']), { code: 0 });
  },
);
