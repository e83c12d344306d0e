import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { AdministeredNode, standInForSystemd } from './_support/bare-node.js';
import { CleanRoot } from './_support/clean-root.js';
import { startFromArchive, VERSION } from './_support/installed-control-plane.js';

const options = {
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

t.test(
  'one line in a bare Debian without Node.js brings a node online, its control plane upgrades it, and another line removes all of it',
  options,
  async (t) => {
    const controlPlane = await startFromArchive(t);
    const { url, command, offer } = controlPlane;
    const node = await AdministeredNode.of(controlPlane);
    const token = await command('enrollment-token', 'create');
    const root = await CleanRoot.make(t);
    t.notMatch(await root.run(['sh', '-c', 'command -v node npm gcc python3']), { code: 0 }, 'nothing helps it');
    const places = ['/opt', '/usr/local', '/etc/vantage', '/etc/systemd/system', '/var/lib/vantage-agent', '/tmp'];
    const before = await root.files(...places);
    const systemd = await standInForSystemd(root);

    const line = `curl -fsSL ${url}/install.sh | sh -s -- --token-file /run/token --name bare`;
    await root.run(['sh', '-c', 'cat > /run/token'], `${token}\n`);
    const installed = await root.run(['sh', '-c', line]);
    t.match(installed, { code: 0 }, installed.stderr);
    // the line ends without the node's first link where that takes long: it is awaited below
    t.match(installed.stdout, /enrolled as n_\w+/);
    t.notMatch(installed.stdout + installed.stderr, token);
    systemd.watch(t);
    const epoch = async () =>
      JSON.parse(await readFile(join(root.path, 'var/lib/vantage-agent/status.json'), 'utf8')).spool.epoch;
    const log = async () => (await root.run(['cat', '/run/upgrade.log', '/run/agent.log'])).stdout;

    await t.test('the node is online, as the user of its unit, and measures', async (t) => {
      t.match(await node.isOnline(), { name: 'bare', version: VERSION });
      t.match(await node.ping(), { success_count: 1 });
    });

    await t.test('the control plane upgrades the node', async (t) => {
      const spool = await epoch();
      await offer('0.1.1');
      t.match(await node.upgrade('0.1.1'), { version: '0.1.1', upgrade: { state: 'done' } }, await log());
      await node.isOnline();
      t.match(await node.ping(), { success_count: 1 });
      t.equal(await epoch(), spool, 'its spool goes on');
    });

    await t.test('a version that does not run is rolled back, and the control plane learns why', async (t) => {
      await offer('0.1.2', true);
      t.match(await node.upgrade('0.1.2'), {
        version: '0.1.1',
        upgrade: {
          state: 'failed',
          error: { code: 'NODE_UPGRADE_FAILED', message: /^0\.1\.2 was not healthy: .*; 0\.1\.1 runs again$/ },
        },
      });
      await node.isOnline();
      t.match(await node.ping(), { success_count: 1 });
    });

    await t.test('an older version is refused', async (t) => {
      await offer(VERSION);
      t.match(await node.upgrade(VERSION), {
        version: '0.1.1',
        upgrade: { state: 'failed', error: { message: /^0\.1\.1 is installed, which is newer than 0\.1\.0/ } },
      });
    });

    const again = await root.run(['sh', '-c', `curl -fsSL ${url}/install.sh | sh -s -- --allow-older`]);
    t.match(again, { code: 0, stdout: /enrolled already/ }, again.stderr);
    const removed = await root.run(['sh', '-c', `curl -fsSL ${url}/install.sh | sh -s -- --uninstall --purge`]);
    t.match(removed, { code: 0, stdout: /delete it there/ }, removed.stderr);
    await rm(join(root.path, 'etc/vantage/service'));
    t.strictSame(await root.files(...places), before, 'nothing is left behind');
    t.notMatch(await root.run(['id', 'vantage-agent']), { code: 0 });
  },
);
