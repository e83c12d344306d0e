import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { AdministeredNode } from './_support/bare-node.js';
import { bootSystemd } from './_support/booted-root.js';
import { installByDocument } from './_support/installed-by-document.js';

const options = {
  timeout: 600_000,
  skip: missing(
    'permission to mount',
    'permission to create control groups',
    'curl',
    'debootstrap',
    'unshare',
    'nsenter',
    'mount',
    'umount',
    'pivot_root',
    'env',
    'objdump',
    'tar',
    'sh',
  ),
};

t.test('in a Debian that systemd has booted', options, async (t) => {
  const machine = await bootSystemd(t);
  const inside = async (command: string, input = '') => {
    const { code, stdout, stderr } = await machine.run(['sh', '-c', command], input);
    const log = async () =>
      (await machine.run(['journalctl', '--lines=20', '--output=cat', '--unit=vantage-*'])).stdout;
    if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}${await log()}`);
    return stdout;
  };
  const property = async (unit: string, name: string) =>
    (await inside(`systemctl show --value --property ${name} ${unit}`)).trim();
  const controlPlane = await installByDocument(machine);
  const { url, command } = controlPlane;

  await t.test('the control plane serves as soon as its unit is active', async (t) => {
    await inside('systemctl daemon-reload && systemctl enable --now vantage-control');
    t.equal((await fetch(`${url}/install.sh`)).status, 200);
    t.equal(await property('vantage-control', 'ActiveState'), 'active');
  });

  const node = await AdministeredNode.of(controlPlane);
  const token = await command('enrollment-token', 'create');
  await inside('cat > /run/token', `${token}\n`);
  await writeFile(join(machine.path, 'etc/vantage/agent.env'), 'VANTAGE_ALLOW_TARGETS=127.0.0.0/8\n');

  await t.test('one line installs an agent that systemd starts', async (t) => {
    const installed = await inside(`curl -fsSL ${url}/install.sh | sh -s -- --token-file /run/token --name booted`);
    t.match(installed, /the node is online/);
    t.equal(await property('vantage-agent', 'ActiveState'), 'active');
    t.match(await node.isOnline(), { name: 'booted' });
    t.match(await node.ping(), { success_count: 1 });
  });
});
