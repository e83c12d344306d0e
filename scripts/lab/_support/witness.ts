import { demand } from '@vantage/shared/_support/missing.js';
import type { Lab } from '../lab.js';

/** Ranges no probe may touch, written down once more: the witness shares no list with what it watches. */
const refusedIPv4 = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
  192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4 168.63.129.16`;
const refusedIPv6 = `
  ::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20 2620:4f:8000::/48`;
/** The agent itself and its gateway. */
const own = '25.80.1.1 25.80.1.2 2d00:80:1::1 2d00:80:1::2';
/** A host of each range, for the control; by its range where that is an address itself. */
const hostOf = (range: string) => (range.includes('/') ? firstHosts[range] : range) ?? range.replace(/0?\/\d+$/, '1');
const firstHosts: Readonly<Record<string, string>> = { '::/3': '::1', '4000::/2': '5f00::1', '8000::/1': 'fd00::1' };

/** Counts what leaves the agent for where no probe may go, no matter who wrote the rules that should prevent it. */
export interface Witness {
  /** Ranges that packets were sent to, with how many. */
  seen(): Promise<Readonly<Record<string, number>>>;
  /** Sends something to every range by another program, to see that the witness sees. */
  control(): Promise<void>;
  /** All that is watched. */
  readonly ranges: readonly string[];
}

/** Installs packet counters on the agent. */
export async function startWitness(lab: Lab): Promise<Witness> {
  demand('nft', 'ping');
  const ranges = `${refusedIPv4} ${refusedIPv6} ${own}`.trim().split(/\s+/);
  await lab.exec('agent', 'nft', rules(ranges));
  return {
    ranges,
    seen: async () => {
      const listing = await lab.exec('agent', 'nft', 'list', 'counters');
      const counts = [...listing.matchAll(/counter r(\d+) \{\s*packets (\d+)/g)];
      const all = counts.map(([, index, packets]) => [ranges[Number(index)] ?? '', Number(packets)] as const);
      return Object.fromEntries(all.filter(([, packets]) => packets > 0));
    },
    control: async () => {
      // -b: broadcast addresses too; what cannot be sent from here is sent by no one
      const pings = ranges.map((range) => `ping -c1 -W1 -b ${hostOf(range)} &`).join('\n');
      await lab.exec('agent', 'sh', '-c', `(${pings}\nwait) > /dev/null 2>&1`);
    },
  };
}

/** Neighbour discovery and listener reports are the kernel's own and say nothing of probes. */
function rules(ranges: readonly string[]): string {
  const counters = ranges.map((_, index) => `counter r${index} {}`);
  const lines = ranges.map(
    (range, index) => `${range.includes(':') ? 'ip6' : 'ip'} daddr ${range} counter name r${index}`,
  );
  return `table inet witness {
    ${counters.join('\n')}
    chain output {
      type filter hook output priority 0;
      icmpv6 type { mld-listener-query, mld-listener-report, mld-listener-done, mld2-listener-report } accept
      icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert, nd-redirect } accept
      ${lines.join('\n')}
    }
  }`;
}
