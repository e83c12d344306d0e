import t from 'tap';
import {
  type Chain,
  chainAddresses,
  makeChain,
  missingForNamespaces,
  type Prober,
  startProber,
} from './_support/namespaces.js';
import { until } from './_support/until.js';

const skip = await missingForNamespaces();

if (skip !== false) t.test('ping and traceroute through routers', { skip }, async () => {});
else {
  const chain = await makeChain();
  const prober = await startProber(chain);
  t.teardown(async () => {
    await prober.stop();
    await chain.remove();
  });
  testPing(chain, prober);
  testTraceroute(chain, prober);
}

function testPing(chain: Chain, prober: Prober): void {
  t.test('the living answer, a host that does not exist never does', async (t) => {
    const params = { count: 5, interval_ms: 200, timeout_ms: 2000 };
    const targets = Object.values(chainAddresses).flatMap(({ b, nobody }) => [b, nobody]);
    const [b4, nobody4, b6, nobody6] = await prober.probe(
      'ping',
      targets.map((target) => ({ target, params })),
    );
    t.match(b4, { success: true, packets_received: 5, replies: [{ ttl: 62 }] });
    t.match(b6, { success: true, packets_received: 5, replies: [{ ttl: 62 }] });
    for (const nobody of [nobody4, nobody6]) {
      t.match(nobody, {
        success: false,
        packets_sent: 5,
        packets_received: 0,
        loss_pct: 100,
      });
    }
  });

  t.test('what a router says of a packet ends the wait for it', async (t) => {
    const params = { count: 1, timeout_ms: 10_000 };
    const { v4, v6 } = chainAddresses;
    const results = await prober.probe('ping', [
      { target: '10.71.200.1', params },
      { target: 'fd71:200::1', params },
      { target: v4.nobody, params },
      { target: v6.nobody, params },
      { target: v4.b, params: { ...params, ttl: 2 } },
      { target: v6.b, params: { ...params, ttl: 1 } },
    ]);
    t.same(
      results.map(({ error }) => error),
      [
        { code: 'net_unreachable', message: `${v4.r1} answered "net_unreachable"` },
        { code: 'net_unreachable', message: `${v6.r1} answered "no_route"` },
        { code: 'host_unreachable', message: `${v4.r2} answered "host_unreachable"` },
        { code: 'host_unreachable', message: `${v6.r2} answered "address_unreachable"` },
        { code: 'no_reply', message: `${v4.r2} answered "time_exceeded"` },
        { code: 'no_reply', message: `${v6.r1} answered "time_exceeded"` },
      ],
    );
    t.same(
      results.map(({ replies }) => replies.map(({ icmp_error }) => icmp_error)),
      [
        [{ ip: v4.r1, name: 'net_unreachable', type: 3, code: 0 }],
        [{ ip: v6.r1, name: 'no_route', type: 1, code: 0 }],
        [{ ip: v4.r2, name: 'host_unreachable', type: 3, code: 1 }],
        [{ ip: v6.r2, name: 'address_unreachable', type: 1, code: 3 }],
        [{ ip: v4.r2, name: 'time_exceeded', type: 11, code: 0 }],
        [{ ip: v6.r1, name: 'time_exceeded', type: 3, code: 0 }],
      ],
    );
  });

  t.test('a broadcast address gets no packet', async (t) => {
    const before = await echoRequestsSeen(chain);
    const [result] = await prober.probe('ping', [{ target: '10.71.1.255', params: { count: 5 } }]);
    t.match(result, { success: false, packets_sent: 0, packets_received: 0 });
    t.equal(await echoRequestsSeen(chain), before);
  });
}

function testTraceroute(chain: Chain, prober: Prober): void {
  t.test('icmp, udp and tcp over IPv4 and IPv6 at once: each names every router, then the target', async (t) => {
    const answers = { icmp: 'echo_reply', udp: 'port_unreachable', tcp: 'tcp_rst' } as const;
    const cases = Object.values(chainAddresses).flatMap((addresses) =>
      (['icmp', 'udp', 'tcp'] as const).map((protocol) => ({ ...addresses, protocol })),
    );
    const requests = cases.map(({ b, protocol }) => ({ target: b, params: { protocol } }));
    for (const [i, result] of (await prober.probe('traceroute', requests)).entries()) {
      const { r1 = '', r2 = '', b = '', protocol = 'icmp' } = cases[i] ?? {};
      t.match(result, { success: true, error: null, reached: true, resolved_ip: b, protocol });
      const hop = (ttl: number, ip: string, icmp_type: string) => ({
        ttl,
        replies: [1, 2, 3].map(() => ({ ip, icmp_type })),
      });
      const expected = [hop(1, r1, 'time_exceeded'), hop(2, r2, 'time_exceeded'), hop(3, b, answers[protocol])];
      const seen = result.hops.map(({ ttl, replies }) => ({
        ttl,
        replies: replies.map(({ ip, icmp_type }) => ({ ip, icmp_type })),
      }));
      t.same(seen, expected, `${protocol} to ${b}`);
      t.ok(result.hops.every(({ replies }) => replies.every(({ rtt_ms }) => rtt_ms !== null && rtt_ms < 1000)));
    }
  });

  t.test('all packets of a trace look alike to a router that balances by flow', async (t) => {
    const sniffer = await chain.start('b', new URL('./_support/flow-sniffer.js', import.meta.url));
    t.teardown(() => sniffer.stop());
    const requests = (['icmp', 'udp', 'tcp'] as const).map((protocol) => ({
      target: chainAddresses.v4.b,
      params: { protocol, queries: 9 },
    }));
    await prober.probe('traceroute', requests);
    await until('nine packets of each at the target', () => sniffer.lines().length >= 27);
    t.equal(new Set(sniffer.lines()).size, 3);
  });

  t.test('max_hops and queries are kept, and a silent end is no reply', async (t) => {
    const [short, silent] = await prober.probe('traceroute', [
      { target: chainAddresses.v4.b, params: { max_hops: 2, queries: 5 } },
      { target: chainAddresses.v4.nobody, params: { max_hops: 4, queries: 1, timeout_ms: 500 } },
    ]);
    t.match(short, { success: false, reached: false, error: { code: 'no_reply' } });
    t.same(
      short?.hops.map(({ ttl, replies }) => [ttl, replies.length]),
      [
        [1, 5],
        [2, 5],
      ],
    );
    t.match(silent, { success: false, reached: false, error: { code: 'no_reply' } });
    t.same(
      silent?.hops.map(({ replies }) => replies[0]?.ip),
      ['10.71.1.2', '10.71.2.2', null, null],
    );
  });

  t.test('a router without a route ends the path under its own name', async (t) => {
    const [v4, v6] = await prober.probe('traceroute', [{ target: '10.71.200.1' }, { target: 'fd71:200::1' }]);
    const failure = { success: false, reached: false, error: { code: 'net_unreachable' } };
    t.match(v4, {
      ...failure,
      hops: [{ ttl: 1, replies: [{ ip: chainAddresses.v4.r1, icmp_type: 'net_unreachable' }] }],
    });
    t.match(v6, { ...failure, hops: [{ ttl: 1, replies: [{ ip: chainAddresses.v6.r1, icmp_type: 'no_route' }] }] });
    t.same([v4?.hops.length, v6?.hops.length], [1, 1]);
  });
}

/** Counter of the first router, broadcasts included. */
async function echoRequestsSeen(chain: Chain): Promise<number> {
  const [names = '', values = ''] = (await chain.exec('r1', 'grep', '^Icmp:', '/proc/net/snmp')).split('\n');
  return Number(values.split(' ')[names.split(' ').indexOf('InEchos')]);
}
