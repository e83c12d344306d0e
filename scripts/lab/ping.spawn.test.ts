import { fileURLToPath } from 'node:url';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import type { LinkCounters } from './emulator.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import { type Direction, linkAddresses } from './topology.js';

const skip = await missingForLab({ programs: ['nft'] });
const count = 15;
const oneTurn = fileURLToPath(new URL('./_support/one-turn.js', import.meta.url));

if (skip !== false) t.test('ping counts what the links did', { skip }, async () => {});
else {
  const lab = await startLab({ seed: 7 });
  const prober = await startProber(lab);
  t.teardown(async () => {
    await prober.stop();
    await lab.stop();
  });
  // whatever a fresh prober does by itself is over before links are counted
  await prober.probe('ping', '25.80.4.2', { count: 1 });
  const counters = async (link: number, direction: Direction): Promise<LinkCounters> =>
    (await lab.link(link, direction)).counters;

  t.test(
    'an error of the system is reported for its packet alone, although others leave in the same turn',
    async (t) => {
      const routes = ['unreachable 25.80.30.1', 'prohibit 25.80.30.2', 'blackhole 25.80.30.3'];
      const rules = 'add table ip t; add chain ip t o { type filter hook output priority 0; }';
      await lab.exec('agent', 'nft', `${rules}; add rule ip t o ip daddr 25.80.30.4 drop`);
      for (const route of routes) await lab.exec('agent', 'ip', 'route', 'add', ...route.split(' '));
      const fates = {
        '25.80.1.2': 'echo_reply',
        '25.80.30.1': 'EHOSTUNREACH',
        '25.80.2.2': 'echo_reply',
        '25.80.30.2': 'EACCES',
        '25.80.30.3': 'EINVAL',
        '25.80.30.4': 'EPERM',
        '25.80.3.2': 'echo_reply',
      };
      const said = await lab.exec('agent', process.execPath, oneTurn, ...Object.keys(fates));
      t.same(JSON.parse(said), Object.values(fates));
    },
  );

  for (const target of ['25.80.4.2', '2d00:80:4::2']) {
    t.test(`loss, duplicates and reordering are counted exactly: ${target}`, async (t) => {
      // in this order on the way, so that nothing is counted of what another link dropped
      await lab.setLink(1, 'forth', { lossRatio: 0.2 });
      await lab.setLink(3, 'forth', { reorderRatio: 0.3 });
      await lab.setLink(2, 'back', { duplicateRatio: 0.3 });
      await lab.seed(11);
      const before = [await counters(1, 'forth'), await counters(3, 'forth'), await counters(2, 'back')] as const;
      const result = await prober.probe('ping', target, { count, interval_ms: 200, timeout_ms: 10_000 });
      const after = [await counters(1, 'forth'), await counters(3, 'forth'), await counters(2, 'back')] as const;
      const [lost, reordered, duplicated] = [
        after[0].lost - before[0].lost,
        after[1].reordered - before[1].reordered,
        after[2].duplicated - before[2].duplicated,
      ];
      t.match(result, {
        success: true,
        packets_sent: count,
        packets_received: count - lost,
        loss_pct: (lost / count) * 100,
        packets_duplicate: duplicated,
        packets_out_of_order: reordered,
        packets_late: 0,
      });
      t.ok(lost > 0 && reordered > 0 && duplicated > 0, `${lost} lost, ${reordered} reordered, ${duplicated} doubled`);
      t.equal(result.replies.filter(({ duplicate }) => duplicate).length, duplicated);
      t.ok(result.replies.every(({ ttl, rtt_ms }) => ttl === (rtt_ms === null ? null : 61)));
    });
  }

  t.test('what comes after its time is shown as late and counts as lost', async (t) => {
    for (const link of [1, 2, 3]) await lab.setLink(link, 'both', { lossRatio: 0, reorderRatio: 0, duplicateRatio: 0 });
    // 200 ms between the second reply and the end of the wait, and as many until the third: where the processes stand still
    // for longer, more of them or fewer come within the wait
    await lab.setLink(2, 'forth', { delayMs: 400 });
    const params = { count: 3, interval_ms: 500, timeout_ms: 100 };
    const result = await untilRight(
      () => prober.probe('ping', '25.80.4.2', params),
      ({ packets_late }) => packets_late === 2,
    );
    t.match(result, {
      success: false,
      error: { code: 'no_reply', message: 'no reply from 25.80.4.2 in time, 2 late' },
      packets_sent: 3,
      packets_received: 0,
      loss_pct: 100,
      packets_late: 2,
      rtt: { min_ms: null },
      replies: [{ late: true }, { late: true }, { late: false, rtt_ms: null }],
    });
  });
  t.test('what a router says of a packet ends the wait for it', async (t) => {
    await lab.setLink(2, 'forth', { delayMs: 0 });
    // r1 looks no further for this one; r3 gives up sooner than the three seconds after which a neighbour is missing
    await lab.exec('r1', 'sh', '-ec', 'ip route add throw 25.80.200.0/24; ip route add throw 2d00:80:200::/64');
    const waits = ['ipv4', 'ipv6'].map((family) => `echo 100 > /proc/sys/net/${family}/neigh/link4/retrans_time_ms`);
    await lab.exec('r3', 'sh', '-ec', waits.join('; '));
    const [r1, r2, r3] = [1, 2, 3].map((link) => linkAddresses(link, 'right'));
    const cases = [
      ['25.80.200.1', 64, 'net_unreachable', { ip: r1?.v4, name: 'net_unreachable', type: 3, code: 0 }],
      ['2d00:80:200::1', 64, 'net_unreachable', { ip: r1?.v6, name: 'no_route', type: 1, code: 0 }],
      ['25.80.4.99', 64, 'host_unreachable', { ip: r3?.v4, name: 'host_unreachable', type: 3, code: 1 }],
      ['2d00:80:4::99', 64, 'host_unreachable', { ip: r3?.v6, name: 'address_unreachable', type: 1, code: 3 }],
      ['25.80.4.2', 2, 'no_reply', { ip: r2?.v4, name: 'time_exceeded', type: 11, code: 0 }],
      ['2d00:80:4::2', 1, 'no_reply', { ip: r1?.v6, name: 'time_exceeded', type: 3, code: 0 }],
    ] as const;
    await Promise.all(
      cases.map(async ([target, ttl, code, icmp_error]) => {
        const params = { count: 2, interval_ms: 200, timeout_ms: 10_000, ttl };
        const { error, replies } = await prober.probe('ping', target, params);
        t.same(error, { code, message: `${icmp_error.ip} answered "${icmp_error.name}"` });
        t.same(
          replies.map((reply) => reply.icmp_error),
          [icmp_error, icmp_error],
        );
      }),
    );
  });

  t.test('a broadcast address gets no packet', async (t) => {
    const sent = async () => {
      const lines = (await lab.exec('agent', 'grep', '^Icmp:', '/proc/net/snmp')).split('\n');
      const [names = [], values = []] = lines.map((line) => line.split(' '));
      return Number(values[names.indexOf('OutEchos')]);
    };
    const before = await sent();
    const params = { count: 5, interval_ms: 200 };
    t.match(await prober.probe('ping', '25.80.1.255', params), {
      success: false,
      packets_sent: 0,
      packets_received: 0,
    });
    t.equal(await sent(), before);
    await prober.probe('ping', '25.80.4.2', params);
    t.equal(await sent(), before + 5, 'a packet would have been counted');
  });
}
