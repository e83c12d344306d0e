import { demand } from '@vantage/shared/_support/missing.js';
import { byNode, type FindingCase } from '@vantage/shared/diagnose/_support/finding-case.js';
import type { CodeOf } from '@vantage/shared/diagnose/finding-table.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { reportSpec } from 'vantage-control/modules/diagnose/probe-spec.js';
import type { Lab } from '../lab.js';
import { namespaceOf } from '../namespaces.js';
import type { Prober } from '../prober.js';

/** Has no IPv6 address. */
const SITE = 'v4.lab.test';
/** Swallows packets without a word. */
const SILENT = '25.80.11.1';
/** Behind routers that send it back and forth. */
const LOST = '25.80.30.1';
/** On `far`, behind so many passages between r2 and r3. */
const DISTANT = '25.80.31.1';
const PASSAGES = 25;

type Case<T extends 'ping' | 'traceroute'> = Readonly<Record<CodeOf<T>, FindingCase>>;

async function ping({ probe }: Prober, target: string): Promise<ProbeResults['ping']> {
  const { params } = reportSpec('ping', target);
  // as in a report, but for waiting
  return probe('ping', target, { ...params, interval_ms: 200, timeout_ms: 1000 });
}

async function trace({ probe }: Prober, target: string): Promise<ProbeResults['traceroute']> {
  const { params } = reportSpec('traceroute', target);
  return probe('traceroute', target, { ...params, reverse_dns: false });
}

/** Servers and links for each finding of section `ping`. */
export function pingCases(lab: Lab, prober: Prober): Case<'ping'> {
  demand('nft');
  /** One of `every` echo requests is dropped by the firewall of the site. */
  const losing =
    (every: number): FindingCase =>
    async () => {
      const chain = 'add table ip loss; add chain ip loss in { type filter hook input priority 0; }';
      const rule = `add rule ip loss in icmp type echo-request numgen inc mod ${every} 0 drop`;
      await lab.exec('far', 'nft', `${chain}; ${rule}`);
      const result = await ping(prober, SITE);
      await lab.exec('far', 'nft', 'delete table ip loss');
      return { ping: byNode<'ping'>(result) };
    };
  return {
    ping_no_reply: async () => ({ ping: byNode<'ping'>(await ping(prober, SILENT)) }),
    ping_loss_high: losing(2),
    ping_loss: losing(10),
    ping_slow: async () => {
      await lab.setLink(2, 'both', { delayMs: 160 });
      const result = await ping(prober, SITE);
      await lab.setLink(2, 'both', { delayMs: 0 });
      return { ping: byNode<'ping'>(result) };
    },
    ping_unstable: async () => {
      // half of the replies come at once, the others up to 300 ms later
      await lab.setLink(2, 'back', { jitterMs: 300 });
      const result = await ping(prober, SITE);
      await lab.setLink(2, 'back', { jitterMs: 0 });
      return { ping: byNode<'ping'>(result) };
    },
    icmp_filtered: async () => {
      const site = await prober.probe('http', `http://${SITE}/`);
      const result = await withoutEchoes(lab, () => ping(prober, SITE));
      return { http: byNode<'http'>(site), ping: byNode<'ping'>(result) };
    },
    ping_ok: async () => ({ ping: byNode<'ping'>(await ping(prober, SITE)) }),
  };
}

/** Routes for each finding of section `traceroute`. */
export function pathCases(lab: Lab, prober: Prober): Case<'traceroute'> {
  let distant: Promise<void> | undefined;
  const to = async (target: string) => ({ traceroute: byNode<'traceroute'>(await trace(prober, target)) });
  return {
    path_not_reached: () => to(SILENT),
    path_loop: async () => {
      await lab.exec('r2', 'ip', 'route', 'replace', LOST, 'via', '25.80.2.1');
      return to(LOST);
    },
    path_long: async () => {
      distant ??= makeDistant(lab);
      await distant;
      return to(DISTANT);
    },
    path_filtered: async () => {
      const site = await prober.probe('http', `http://${SITE}/`);
      const result = await withoutEchoes(lab, () => trace(prober, SITE));
      return { http: byNode<'http'>(site), traceroute: byNode<'traceroute'>(result) };
    },
    path_ok: () => to(SITE),
  };
}

async function withoutEchoes<T>(lab: Lab, work: () => Promise<T>): Promise<T> {
  const ignore = (value: 0 | 1) =>
    lab.exec('far', 'sh', '-c', `echo ${value} > /proc/sys/net/ipv4/icmp_echo_ignore_all`);
  await ignore(1);
  const result = await work();
  await ignore(0);
  return result;
}

/**
 * A long path between two routers: cables 1 to 25, each with addresses 25.81.N.1 at r2 and 25.81.N.2 at r3. What has
 * come by one cable leaves by the next, and each router names the cable by which a packet came.
 */
async function makeDistant(lab: Lab): Promise<void> {
  const r3 = namespaceOf(lab.name, 'r3');
  const cables = Array.from({ length: PASSAGES }, (_, index) => index + 1);
  const endsAt = (end: 1 | 2) =>
    cables.flatMap((n) => [`addr add 25.81.${n}.${end}/24 dev way${n}`, `link set way${n} up`]);
  /** Cables by which packets come to a router, all but the last: odd ones lead to r3, even ones back to r2. */
  const onward = (isHere: (cable: number) => boolean, end: 1 | 2) =>
    cables.flatMap((n) => {
      if (!isHere(n) || n === PASSAGES) return [];
      const table = 100 + n;
      return [`rule add iif way${n} lookup ${table}`, `route add default via 25.81.${n + 1}.${end} table ${table}`];
    });
  const batch = async (host: 'r2' | 'r3', lines: readonly string[]) => {
    const settings = 'echo 1 > /proc/sys/net/ipv4/icmp_errors_use_inbound_ifaddr';
    await lab.exec(host, 'sh', '-ec', `${settings}\nip -batch - <<'END'\n${lines.join('\n')}\nEND`);
  };
  await batch('r2', [
    ...cables.map((n) => `link add way${n} type veth peer name way${n} netns ${r3}`),
    ...endsAt(1),
    `route add ${DISTANT} via 25.81.1.2`,
    ...onward((n) => n % 2 === 0, 2),
  ]);
  await batch('r3', endsAt(2));
  await batch(
    'r3',
    onward((n) => n % 2 === 1, 1),
  );
  await lab.exec('far', 'ip', 'addr', 'add', `${DISTANT}/32`, 'dev', 'lo');
}
