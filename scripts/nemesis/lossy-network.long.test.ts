import { spawnSync } from 'node:child_process';
import t from 'tap';
import { startNemesis } from './_support/nemesis-process.js';

/** One packet in twenty is lost, on a loopback of its own. */
const lossy = `ip link set lo up
nft 'add table inet lossy; add chain inet lossy in { type filter hook input priority 0; }
     add rule inet lossy in numgen random mod 100 < 5 drop'`;

const canLose = spawnSync('unshare', ['--net', 'sh', '-ec', lossy]).status === 0;
const options =
  canLose || process.env['CI'] === 'true'
    ? { timeout: 420_000 }
    : { skip: 'needs root and network namespaces (Debian packages util-linux, iproute2, nftables)' };

t.test('on a network that loses one packet in twenty nothing else is lost, whatever breaks', options, async (t) => {
  const nemesis = startNemesis(
    t,
    { inside: ['unshare', '--net', 'sh', '-ec', `${lossy}\nexec "$@"`, 'sh'] },
    '--seed',
    '5',
    '--minutes',
    '0.5',
  );
  const { code, stdout } = await nemesis.ended;
  const told = code === 0 ? '' : `: ${nemesis.said().slice(-2_000)}\n${stdout}`;
  t.equal(code, 0, `it found nothing${told}`);
});
