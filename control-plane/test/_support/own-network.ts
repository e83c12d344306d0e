import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demand } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { temporaryDirectory } from './temporary-directory.js';

// A test file that needs the ports of a whole machine, or features of its kernel, runs itself again in a network
// namespace: a loopback of its own, a route that leads nowhere, and itself as the resolver.

const INSIDE = 'VANTAGE_TEST_OWN_NETWORK';
/** Limit of a file that is run without the runner, which has a limit of its own. */
const UNATTENDED_SECONDS = 1_800;

export const isInOwnNetwork = process.env[INSIDE] === '1';

/** Runs a test file again, in a network of its own. @throws MissingProgramsError */
export function runInOwnNetwork(fileUrl: string): void {
  const name = 'in a network of its own';
  demand('ip');
  const resolvers = join(temporaryDirectory(t), 'resolv.conf');
  writeFileSync(resolvers, 'nameserver 127.0.0.1\n');
  const network = `ip link set lo up
ip route add default dev lo
mount --bind '${resolvers}' /etc/resolv.conf
exec "$@"`;
  const program = [process.execPath, fileURLToPath(fileUrl)];
  void t.spawn('unshare', ['--net', '--mount', 'sh', '-ec', network, 'sh', ...program], {
    name,
    timeout: 1_000 * Number(process.env['TAP_TIMEOUT'] ?? UNATTENDED_SECONDS),
    env: { ...process.env, [INSIDE]: '1' },
  });
}

/** True if the addresses of this network reply to echo requests. */
export function answerEchoes(doAnswer: boolean): void {
  writeFileSync('/proc/sys/net/ipv4/icmp_echo_ignore_all', doAnswer ? '0' : '1');
}
