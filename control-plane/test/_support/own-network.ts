import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { temporaryDirectory } from './temporary-directory.js';

// A test file that needs the ports of a whole machine, or what only its kernel can do, runs itself again in a network
// namespace: a loopback that is nobody else's, a route that leads nowhere, and itself as the resolver.

const INSIDE = 'VANTAGE_TEST_OWN_NETWORK';
const NEEDS = 'needs root, network and mount namespaces (Debian packages util-linux, iproute2)';

/** Whether this process is in a network of its own. */
export const isInOwnNetwork = process.env[INSIDE] === '1';

/** Runs a test file again, in a network of its own; where that cannot be, it is skipped, but never under CI. */
export function runInOwnNetwork(fileUrl: string, timeoutMs: number): void {
  const name = 'in a network of its own';
  const canUnshare = spawnSync('unshare', ['--net', '--mount', 'sh', '-ec', 'ip link set lo up']).status === 0;
  if (!canUnshare && process.env['CI'] !== 'true') return void t.test(name, { skip: NEEDS }, async () => {});
  const resolvers = join(temporaryDirectory(t), 'resolv.conf');
  writeFileSync(resolvers, 'nameserver 127.0.0.1\n');
  const network = `ip link set lo up
ip route add default dev lo
mount --bind '${resolvers}' /etc/resolv.conf
exec "$@"`;
  const program = [process.execPath, fileURLToPath(fileUrl)];
  void t.spawn('unshare', ['--net', '--mount', 'sh', '-ec', network, 'sh', ...program], {
    name,
    timeout: timeoutMs,
    env: { ...process.env, [INSIDE]: '1' },
  });
}

/** Whether this network's addresses answer echo requests. */
export function answerEchoes(doAnswer: boolean): void {
  writeFileSync('/proc/sys/net/ipv4/icmp_echo_ignore_all', doAnswer ? '0' : '1');
}
