import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { ApiMonitor } from './_support/api-monitor.js';
import { AdministeredNode } from './_support/bare-node.js';
import { bootSystemd, seeLent } from './_support/booted-root.js';
import { commandsBelow, installByDocument } from './_support/installed-by-document.js';
import { VERSION } from './_support/installed-control-plane.js';
import { SpoolOfMachine } from './_support/spool-of-machine.js';
import { UnitsOfMachine } from './_support/units-of-machine.js';

const options = {
  skip: missing(
    'permission to mount',
    'permission to create control groups',
    'chromium',
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
const DROP_IN = 'etc/systemd/system/vantage-agent.service.d/mine.conf';
/** Watchdog time of the drop-in, once the watchdog has been seen to work; the unit has another. */
const KEPT_WATCHDOG_S = 55;
const ADMIN = 'admin@example.com';
const PLACES = ['/opt', '/usr/local', '/etc/vantage', '/etc/systemd/system', '/var/lib/vantage-agent'];

t.test('in a Debian that systemd has booted', options, async (t) => {
  const machine = await bootSystemd(t);
  const units = new UnitsOfMachine(machine);
  const spool = new SpoolOfMachine(units);
  const bare = await machine.files(...PLACES);
  const controlPlane = await installByDocument(machine);
  const { url, command, offer } = controlPlane;

  await t.test(
    'started as docs/install.md says, the control plane serves, and prints the line for a node',
    async (t) => {
      const [, start = ''] = await commandsBelow('Install a control plane');
      t.match(await units.run(`set -e\nexec 2>&1\n${start}`), /install\.sh \| sudo sh\n *ent_/);
      t.equal((await fetch(`${url}/install.sh`)).status, 200);
      t.equal(await units.property('vantage-control', 'ActiveState'), 'active');
    },
  );

  const node = await AdministeredNode.of(controlPlane);
  const line = (words: string) => units.run(`curl -fsSL ${url}/install.sh | sh -s -- ${words}`);
  const before = await machine.files(...PLACES);
  await units.run('cat > /run/token', `${await command('enrollment-token', 'create')}\n`);
  await writeFile(join(machine.path, 'etc/vantage/agent.env'), 'VANTAGE_ALLOW_TARGETS=127.0.0.0/8\n');

  await t.test('one line installs an agent that systemd starts, within the limits of its unit', async (t) => {
    t.match(await line('--token-file /run/token --name booted'), /the node is online/);
    t.equal(await units.property('vantage-agent', 'ActiveState'), 'active');
    t.equal(await units.property('vantage-agent', 'MemoryMax'), String(256 * 1024 * 1024));
    t.match(await node.isOnline(), { name: 'booted' });
    t.match(await node.ping(), { success_count: 1 });
  });

  const monitor = await ApiMonitor.create(controlPlane, ADMIN, {
    type: 'ping',
    target: '127.0.0.1',
    interval_s: 60,
  });
  const dropIn = join(machine.path, DROP_IN);
  /** Writes the operator's drop-in. */
  const watchFor = async (seconds: number) => {
    await writeFile(dropIn, `[Service]\nWatchdogSec=${seconds}\n`);
    await units.run('systemctl daemon-reload && systemctl restart vantage-agent');
  };
  const mine = async (seconds = KEPT_WATCHDOG_S) =>
    (await units.property('vantage-agent', 'WatchdogUSec')) === `${seconds}s`;

  await t.test('an agent whose event loop stands still is restarted', async (t) => {
    await mkdir(dirname(dropIn), { recursive: true });
    await watchFor(5);
    t.ok(await mine(5));
    await units.loseMainProcess('vantage-agent', 'STOP');
    t.match(await units.log('vantage-agent'), /Watchdog timeout \(limit 5s\)/);
    await node.isOnline();
    // one so short would also end an agent that only has to wait for the processor
    await watchFor(KEPT_WATCHDOG_S);
    t.ok(await mine());
    await node.isOnline();
  });

  await t.test('a control plane that is killed is restarted, and its nodes come back', async (t) => {
    await units.loseMainProcess('vantage-control', 'KILL');
    await node.isOnline();
    t.match(await node.ping(), { success_count: 1 });
  });

  await t.test('systemd starts an upgrade that is wanted, and no slot of a monitor is missed by it', async (t) => {
    await offer('0.1.1');
    const slot = await monitor.nextCheck();
    t.match(await node.upgrade('0.1.1'), { version: '0.1.1', upgrade: { state: 'done' } });
    await monitor.nextCheck();
    t.strictSame(await monitor.gapsSince(slot), [60]);
    t.match(await units.log('vantage-agent-upgrade'), /vantage-agent 0\.1\.1 runs, 0\.1\.0 is kept/);
    t.ok(await mine(), 'the drop-in is kept');
  });

  await t.test('the control plane is upgraded as docs/install.md says, and its nodes come back', async (t) => {
    const [, upgrade = ''] = await commandsBelow('Upgrade');
    await units.run(`set -e\n${upgrade}`);
    t.equal((await units.run('readlink /opt/vantage-control/current')).trim(), '0.1.1');
    await node.isOnline();
    t.match(await node.ping(), { success_count: 1 });
  });

  await t.test('a version that does not run is rolled back', async (t) => {
    await offer('0.1.2', true);
    t.match(await node.upgrade('0.1.2'), { version: '0.1.1', upgrade: { state: 'failed' } });
    await node.isOnline();
    t.equal(await units.property('vantage-agent', 'ActiveState'), 'active');
    t.equal(await units.property('vantage-agent-upgrade.path', 'ActiveState'), 'active', 'it waits for the next one');
  });

  await t.test('results that wait survive an upgrade and its roll-back while the control plane is away', async (t) => {
    const often = await ApiMonitor.create(controlPlane, ADMIN, {
      type: 'tcp',
      target: new URL(url).host,
      interval_s: 10,
    });
    await often.nextCheck();
    await offer('0.1.3');
    await units.run('systemctl stop vantage-control');
    const waited = await spool.waiting(1);
    const upgrade = ['--upgrade', '0.1.3', '--release', '/srv/release/latest', '--health-within', '5'];
    t.match(await machine.run(['/opt/vantage-agent/install-agent', ...upgrade]), {
      code: 1,
      stderr: /0\.1\.3 was not healthy: .*; 0\.1\.1 runs again/,
    });
    const all = await spool.waiting(waited.length + 1);
    t.strictSame(all.slice(0, waited.length), waited);
    await units.run('systemctl start vantage-control');
    await spool.empty();
    const checks = await often.checks();
    for (const slotMs of all)
      t.ok(
        checks.some((at) => Math.abs(at - slotMs) < 6_000),
        new Date(slotMs).toISOString(),
      );
  });

  await t.test('with its drop-in, Chromium loads a page within its sandbox', async (t) => {
    const folder = join(machine.path, dirname(DROP_IN));
    const [browser, lent] = [join(folder, 'browser.conf'), join(folder, 'lent.conf')];
    await copyFile(join(machine.path, 'opt/vantage-agent/current/systemd/browser.conf'), browser);
    await writeFile(lent, ['[Service]', ...seeLent, ''].join('\n'));
    await units.run('systemctl daemon-reload && systemctl restart vantage-agent');
    await node.isOnline();
    const page = await ApiMonitor.create(controlPlane, ADMIN, { type: 'browser', target: url, interval_s: 60 });
    await page.nextCheck();
    t.match(await page.newestCheck(), { outcome: 'ok', status_code: 200 });
    await rm(browser);
    await rm(lent);
  });

  await t.test('a second installation keeps the drop-in', async (t) => {
    await offer(VERSION);
    t.match(await line('--allow-older'), /enrolled already[^]*the node is online/);
    t.ok(await mine());
  });

  await t.test('a control plane stops in order, its database last', async (t) => {
    await units.run('systemctl stop vantage-control');
    t.equal(await units.property('vantage-control', 'Result'), 'success');
    t.notMatch(await units.log('vantage-control'), /timed out|Killing/);
    await units.run('[ ! -e /var/lib/private/vantage/postgres/postmaster.pid ]');
    t.match(await command('user', 'list'), /admin@example\.com/, 'commands of root work meanwhile');
    await units.run('systemctl start vantage-control');
  });

  await t.test('removed, it leaves the drop-in of its operator, and no unit', async (t) => {
    await line('--uninstall --purge');
    const left = (await machine.files(...PLACES)).filter((file) => !file.includes('/vantage-control/0.1.1/'));
    t.strictSame(left, [...before, dropIn].sort());
    t.equal(await units.run("systemctl list-units --all --no-legend 'vantage-agent*'"), '');
    t.equal(await units.run("systemctl list-unit-files --no-legend 'vantage-agent*' || :"), '');
  });

  await t.test('a control plane that is removed as docs/install.md says leaves nothing', async (t) => {
    const [, remove = ''] = await commandsBelow('Uninstall');
    await units.run(`set -e\n${remove}`);
    t.strictSame(await machine.files(...PLACES, '/var/lib/private', '/var/lib/vantage'), [...bare, dropIn].sort());
    t.equal(await units.run("systemctl list-units --all --no-legend 'vantage*'"), '');
  });
});
