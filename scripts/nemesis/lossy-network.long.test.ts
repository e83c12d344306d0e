import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { startNemesis, wordsOfEnd } from './_support/nemesis-process.js';

/** One packet in twenty is lost, on a loopback of its own, which nothing leaves: the nodes report that they have no Internet access. */
const lossy = `ip link set lo up
nft 'add table inet lossy; add chain inet lossy in { type filter hook input priority 0; }
     add rule inet lossy in numgen random mod 100 < 5 drop'`;

const options = { skip: missing('permission to create networks', 'ip', 'nft') };

t.test(
  'on a network that loses one packet in twenty nothing else is lost, whatever faults occur',
  options,
  async (t) => {
    const nemesis = startNemesis(
      t,
      { inside: ['unshare', '--net', 'sh', '-ec', `${lossy}\nexec "$@"`, 'sh'] },
      '--seed',
      '5',
      '--minutes',
      '0.5',
      '--replicas',
      '2',
      '--agents',
      '2',
    );
    const end = await nemesis.ended;
    t.equal(end.code, 0, wordsOfEnd(nemesis, end));
  },
);
