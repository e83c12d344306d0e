import { isDeepStrictEqual } from 'node:util';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import { until } from '@vantage/shared/_support/until.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { startFlowSniffer } from './_support/flow-sniffer.js';
import { missingForLab } from './_support/missing-for-lab.js';
import { startMplsResponder } from './_support/mpls-responder.js';
import { type MtrHop, mtrHops, tracerouteLines } from './_support/trace-tools.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';

const skip = await missingForLab({ servers: ['dns'], programs: ['traceroute', 'mtr'] });
const ends = { v4: '25.80.4.2', v6: '2d00:80:4::2' } as const;
// to a port where nothing listens: the usual one is that of DNS, which the target serves
const switches = { icmp: ['-I'], udp: ['-U', '-p', '33434'], tcp: ['-T'] } as const;
const mtrSwitches = { icmp: [], udp: ['-u'], tcp: ['-T'] } as const;
const protocols = ['icmp', 'udp', 'tcp'] as const;
const cases = [ends.v4, ends.v6].flatMap((target) => protocols.map((protocol) => ({ target, protocol })));
const lastAnswers = { icmp: 'echo_reply', udp: 'port_unreachable', tcp: 'tcp_rst' } as const;
const isTraceroute = compileSchema(agentResultSchema('traceroute'));

if (skip !== false) t.test('traceroute and mtr in the lab', { skip }, async () => {});
else {
  const [lab, twoRoads] = await Promise.all([startLab({ servers: ['dns'] }), startLab({ ecmp: true })]);
  t.teardown(() => Promise.all([lab.stop(), twoRoads.stop()]));
  const [prober, twoRoadsProber] = await Promise.all([startProber(lab), startProber(twoRoads)]);
  await lab.setLink(4, 'both', { delayMs: 10 });

  t.test('icmp, udp and tcp find the hops that traceroute finds, over IPv4 and IPv6', async (t) => {
    await Promise.all(cases.map((one) => compareWithTraceroute(t, one)));
  });

  t.test('all packets of a trace look alike to a router that balances by flow', async (t) => {
    for (const target of [ends.v4, ends.v6]) {
      const packets = await startFlowSniffer(t, lab, target);
      const params = { queries: 5, reverse_dns: false } as const;
      await Promise.all(protocols.map((protocol) => prober.probe('traceroute', target, { ...params, protocol })));
      for (const protocol of protocols) {
        const flowsOf = () => packets.filter((packet) => packet.startsWith(protocol));
        await until(`five packets of ${protocol} at ${target}`, () => flowsOf().length >= 5);
        t.equal(new Set(flowsOf()).size, 1, `${protocol} to ${target}`);
      }
    }
  });

  t.test('mtr finds the hops that mtr finds, over IPv4 and IPv6, by every protocol', async (t) => {
    await Promise.all(
      cases.map(async ({ target, protocol }) => {
        const [ours, theirs] = await untilRight(
          () =>
            Promise.all([
              prober.probe('mtr', target, { protocol, cycles: 3, interval_ms: 500, reverse_dns: false }),
              mtrHops(lab, target, ['-c', '3', '-i', '0.5', '-G', '1', ...mtrSwitches[protocol]]),
            ]),
          isSamePath,
        );
        t.match(ours, { success: true, reached: true, resolved_ip: target, protocol });
        t.same(addressesOf(ours), hostsOf(theirs), `${protocol} to ${target}`);
      }),
    );
  });

  t.test('mtr finds the hops that mtr finds, and numbers of the same size', async (t) => {
    const isOfSameSize = ({ hops }: ProbeResults['mtr']) => {
      const leastMs = hops[3]?.rtt.min_ms ?? 0;
      return leastMs >= 20 && leastMs < 60;
    };
    const names = [null, 'r2.lab.test', 'r3.lab.test', 'far.lab.test'];
    const namesOf = ({ hops }: ProbeResults['mtr']) => hops.map(({ hostname }) => hostname[0]);
    const [ours, theirs] = await untilRight(
      () =>
        Promise.all([
          prober.probe('mtr', ends.v4, { cycles: 5, interval_ms: 200 }),
          mtrHops(lab, ends.v4, ['-c', '5', '-i', '0.2', '-G', '1']),
        ]),
      ([result, hubs]) =>
        isSamePath([result, hubs]) &&
        result.hops.every(({ received }) => received === 5) &&
        isDeepStrictEqual(namesOf(result), names) &&
        isOfSameSize(result),
    );
    t.same(addressesOf(ours), hostsOf(theirs));
    for (const hop of ours.hops) t.match(hop, { sent: 5, received: 5, loss_pct: 0 });
    t.same(namesOf(ours), names, 'the gateway is the operator’s, and is not asked for');
    t.ok(isOfSameSize(ours), `${ours.hops[3]?.rtt.min_ms} ms`);
  });

  t.test('several flows see both roads of an ecmp lab', async (t) => {
    const params = { protocol: 'udp', flows: 8, reverse_dns: false } as const;
    const roads = ['25.80.2.2', '25.80.5.2'];
    const [seen, counted] = await Promise.all([
      untilBothSeen(async () => {
        const { hops } = await twoRoadsProber.probe('traceroute', ends.v4, { ...params, queries: 1 });
        t.same(
          hops[1]?.replies.map(({ flow }) => flow),
          [1, 2, 3, 4, 5, 6, 7, 8],
        );
        return hops[1]?.replies.map(({ ip }) => ip) ?? [];
      }),
      untilBothSeen(async () => {
        const { hops } = await twoRoadsProber.probe('mtr', ends.v4, { ...params, cycles: 8, interval_ms: 200 });
        return hops[1]?.ip ?? [];
      }),
    ]);
    t.same(seen, roads);
    t.same(counted, roads);
  });

  t.test('flows of icmp are distinguished, and all take one road where routers balance by ports', async (t) => {
    const params = { protocol: 'icmp', flows: 8, queries: 1, reverse_dns: false } as const;
    const { hops, reached } = await twoRoadsProber.probe('traceroute', ends.v4, params);
    t.equal(reached, true);
    const replies = hops[1]?.replies ?? [];
    t.same(
      replies.map(({ flow }) => flow),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    t.equal(new Set(replies.map(({ ip }) => ip)).size, 1, 'Linux looks at no identifier');
  });

  t.test('who refuses is shown with its code, and silence behind it is no reply', async (t) => {
    const { hops, error } = await prober.probe('traceroute', '25.80.12.1', { queries: 1, reverse_dns: false });
    t.match(error, { code: 'host_unreachable' });
    t.match(hops.at(-1), { ttl: 4, replies: [{ ip: ends.v4, icmp_type: 'admin_prohibited', icmp_code: 13 }] });
    const silent = await prober.probe('traceroute', '25.80.11.1', { queries: 1, timeout_ms: 300, max_hops: 6 });
    t.match(silent, { success: false, error: { code: 'no_reply' } });
    t.equal(silent.hops.length, 6);
    t.same(
      silent.hops.slice(3).map(({ replies }) => replies[0]?.ip),
      [null, null, null],
    );
  });

  t.test('a router without a route ends the path under its own name', async (t) => {
    await lab.exec('r1', 'sh', '-ec', 'ip route add throw 25.80.200.0/24; ip route add throw 2d00:80:200::/64');
    const cases = [
      { target: '25.80.200.1', ip: '25.80.1.2', icmp_type: 'net_unreachable' },
      { target: '2d00:80:200::1', ip: '2d00:80:1::2', icmp_type: 'no_route' },
    ];
    for (const { target, ip, icmp_type } of cases) {
      const { hops, ...result } = await prober.probe('traceroute', target, { queries: 1, reverse_dns: false });
      t.match(result, { success: false, reached: false, error: { code: 'net_unreachable' } });
      t.equal(hops.length, 1);
      t.match(hops, [{ ttl: 1, replies: [{ ip, icmp_type }] }]);
    }
  });

  t.test('loss on the way is loss at the hops behind it, and mtr counts it', async (t) => {
    await lab.setLink(4, 'forth', { lossRatio: 1 });
    t.teardown(() => lab.setLink(4, 'forth', { lossRatio: 0 }));
    const params = { cycles: 3, interval_ms: 200, timeout_ms: 2_000, max_hops: 6, reverse_dns: false };
    const losses = [0, 0, 0, 100, 100, 100];
    const lossesOf = ({ hops }: ProbeResults['mtr']) => hops.map(({ loss_pct }) => loss_pct);
    const result = await untilRight(
      () => prober.probe('mtr', ends.v4, params),
      (each) => isDeepStrictEqual(lossesOf(each), losses),
    );
    t.equal(result.reached, false);
    t.same(lossesOf(result), losses);
  });

  t.test('labels of a router are read in either form, and are those that traceroute reads', async (t) => {
    await startMplsResponder(t, lab);
    const params = { queries: 2, max_hops: 4, reverse_dns: false, timeout_ms: 1000 };
    const read = await untilRight(
      () => prober.probe('traceroute', ends.v4, params),
      ({ hops }) => hops[3]?.replies.every(({ ip }) => ip === ends.v4) ?? false,
    );
    const stack = [
      { label: 16001, tc: 5, s: 0, ttl: 1 },
      { label: 3, tc: 0, s: 1, ttl: 254 },
    ];
    t.match(read.hops[3], {
      ttl: 4,
      replies: [
        { ip: ends.v4, mpls: stack },
        { ip: ends.v4, mpls: stack },
      ],
    });
    const labels = /<MPLS:L=16001,E=5,S=0,T=1\/L=3,E=0,S=1,T=254>/;
    const said = await untilRight(
      () => lab.exec('agent', 'traceroute', '-I', '-n', '-e', '-f4', '-m4', '-q2', ends.v4),
      (text) => labels.test(text),
    );
    t.match(said, labels);
  });

  async function compareWithTraceroute(
    t: Test,
    { target, protocol }: { readonly target: string; readonly protocol: keyof typeof switches },
  ): Promise<void> {
    const kinds = [['time_exceeded'], ['time_exceeded'], ['time_exceeded'], [lastAnswers[protocol]]];
    const { result, found, heard } = await untilRight(
      async () => {
        const probed = await prober.probe('traceroute', target, { protocol, reverse_dns: false });
        const theirs = await tracerouteLines(lab, target, [...switches[protocol], '-q3']);
        return {
          result: probed,
          found: {
            kinds: probed.hops.map(({ replies }) => [...new Set(replies.map(({ icmp_type }) => icmp_type))]),
            addresses: probed.hops.map(({ replies }) => [...new Set(replies.map(({ ip }) => ip))]),
          },
          // under load traceroute gives up a packet now and then
          heard: theirs.map(({ addresses }) => [...new Set(addresses.filter((address) => address !== null))]),
        };
      },
      (outcome) => isDeepStrictEqual(outcome.found, { kinds, addresses: outcome.heard }),
    );
    t.ok(isTraceroute(structuredClone(result)).ok);
    t.match(result, { success: true, error: null, reached: true, resolved_ip: target, protocol });
    t.same(found.kinds, kinds);
    t.same(found.addresses, heard, `${protocol} to ${target}`);
  }
}

function addressesOf({ hops }: ProbeResults['mtr']): (readonly (string | null)[])[] {
  return hops.map(({ ip }) => ip);
}

function hostsOf(hubs: readonly MtrHop[]): string[][] {
  return hubs.map(({ host }) => [host]);
}

function isSamePath([ours, theirs]: readonly [ProbeResults['mtr'], readonly MtrHop[]]): boolean {
  return isDeepStrictEqual(addressesOf(ours), hostsOf(theirs));
}

/**
 * Addresses of a hop, in order. Eight flows take the same of two roads once in 128 times, and are sent again; so are flows
 * without a reply.
 */
async function untilBothSeen(ask: () => Promise<readonly (string | null)[]>): Promise<string[]> {
  const seen = new Set<string>();
  for (let attempt = 0; attempt < 5 && seen.size < 2; attempt += 1) {
    for (const ip of await ask()) if (ip !== null) seen.add(ip);
  }
  return [...seen].sort();
}
