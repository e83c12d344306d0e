import { execFile, spawn } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';
import { CleanRoot } from './clean-root.js';
import { makeControlGroups } from './control-groups.js';
import { mountDebian } from './debian.js';

const run = promisify(execFile);

/** Units of Debian that need a terminal, or that would fetch packages now and then. */
const MASKED = ['console-getty.service', 'apt-daily.timer', 'apt-daily-upgrade.timer'];
const BOOT_LIMIT_MS = 120_000;

/** Enters the control groups of the arguments before the namespaces are made: they are the roots of what systemd sees. */
const OUTSIDE = `enter=$1 root=$2 hierarchy=$3
shift 3
for group; do echo $$ >"$group/cgroup.procs"; done
exec unshare --mount --pid --uts --ipc --cgroup --fork --kill-child sh -ec "$enter" "$root" "$hierarchy"`;

/** Sets up what systemd expects of a container (container-interface). The kernel's settings are those of this machine: read-only. */
const INSIDE = `cd "$0"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
# nodes of its own: systemd takes /dev/null for its console, and changes its owner and mode
for device in null:3 zero:5 full:7 random:8 urandom:9; do
  mknod -m 666 "dev/\${device%:*}" c 1 "\${device#*:}"
done
mknod -m 666 dev/tty c 5 0
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t "$1" "$1" sys/fs/cgroup
pivot_root . .outside
umount -l /.outside
echo ready
exec env -i container=vantage-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=multi-user.target --show-status=no`;

/** Folders of this machine, with its programs and fonts, and where the booted one, which has too few, finds them. */
const LENT = { '/usr': '/srv/lent/usr', '/etc/fonts': '/srv/lent/fonts', '/etc/chromium.d': '/srv/lent/chromium.d' };

/** Lines of a drop-in with which a unit sees the programs of this machine in place of those of its own; both have the same Debian. */
export const seeLent = Object.entries(LENT).map(([from, place]) => `BindReadOnlyPaths=${place}:${from}`);

/**
 * Boots Debian's systemd as the first process of a machine of its own, without changes and with the network of this one;
 * gone when `t` ends. Returns once it has started all its units. @throws Error if one failed
 */
export async function bootSystemd(t: Pick<Test, 'teardown'>): Promise<CleanRoot> {
  demand('unshare', 'mount', 'umount', 'sh', 'nsenter', 'pivot_root', 'env');
  const path = await mountDebian(t, 'bookworm-systemd');
  const { root, folders } = await makeControlGroups(t, `vantage-boot-${process.pid}`);
  await mkdir(join(path, '.outside'));
  for (const [from, place] of Object.entries(LENT)) {
    await mkdir(join(path, from), { recursive: true });
    await lend(t, from, join(path, place));
  }
  for (const unit of MASKED) await symlink('/dev/null', join(path, 'etc/systemd/system', unit));
  const holder = spawn('sh', ['-ec', OUTSIDE, 'sh', INSIDE, path, root, ...folders], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const machine = await CleanRoot.heldBy(t, holder, path);
  const end = performance.now() + BOOT_LIMIT_MS;
  for (;;) {
    const state = (await machine.run(['systemctl', 'is-system-running'])).stdout.trim();
    if (state === 'running') return machine;
    if (state === 'degraded' || performance.now() > end)
      throw new Error(`systemd is ${state}: ${(await machine.run(['systemctl', '--failed', '--plain'])).stdout}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function lend(t: Pick<Test, 'teardown'>, from: string, place: string): Promise<void> {
  await mkdir(place, { recursive: true });
  await run('mount', ['--bind', '-o', 'ro', from, place]);
  t.teardown(() => run('umount', ['-l', place]));
}
