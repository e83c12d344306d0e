import t from 'tap';
import { hopLines } from './hop-lines.js';
import type { Hop, HopReply, HopStatistics } from './hops.js';
import { statisticsLines } from './mtr-lines.js';

function aReply(fields: Partial<HopReply> = {}): HopReply {
  return { flow: 1, ip: '192.0.2.1', rtt_ms: 1.5, icmp_type: 'time_exceeded', icmp_code: 0, ...fields };
}
const silence: Partial<HopReply> = { ip: null, rtt_ms: null, icmp_type: null, icmp_code: null };
const stack = [
  { label: 16001, tc: 5, s: 0, ttl: 1 },
  { label: 3, tc: 0, s: 1, ttl: 254 },
];

t.test('hops read as traceroute prints them', async (t) => {
  const hops: Hop[] = [
    { ttl: 1, replies: [aReply({ hostname: 'gw.example.net' }), aReply({ hostname: 'gw.example.net', rtt_ms: 2 })] },
    { ttl: 2, replies: [aReply(silence), aReply(silence), aReply(silence)] },
    { ttl: 3, replies: [aReply({ mpls: stack }), aReply(silence), aReply({ ip: '192.0.2.3', mpls: stack })] },
    {
      ttl: 12,
      replies: [aReply({ icmp_type: 'host_unreachable', icmp_code: 1 }), aReply({ late: true, rtt_ms: 2500 })],
    },
  ];
  t.same(hopLines(hops), [
    ' 1  gw.example.net (192.0.2.1)  1.500 ms  2.000 ms',
    ' 2  * * *',
    ' 3  192.0.2.1  1.500 ms  *  192.0.2.3  1.500 ms',
    '    [MPLS: Lbl 16001 TC 5 S 0 TTL 1]',
    '    [MPLS: Lbl 3 TC 0 S 1 TTL 254]',
    '12  192.0.2.1  1.500 ms !H  2500.000 ms+',
  ]);
});

t.test('network and country of hops stand in a column of their own, where any is known', async (t) => {
  const hops: Hop[] = [
    { ttl: 1, replies: [aReply({ mpls: stack.slice(1) })] },
    { ttl: 2, replies: [aReply()], asn: 64_496, country: 'DE' },
    { ttl: 3, replies: [aReply()], asn: 3320 },
    { ttl: 4, replies: [aReply()], country: 'NL' },
  ];
  t.same(hopLines(hops), [
    ' 1               192.0.2.1  1.500 ms',
    '                 [MPLS: Lbl 3 TC 0 S 1 TTL 254]',
    ' 2  AS64496  DE  192.0.2.1  1.500 ms',
    ' 3  AS3320       192.0.2.1  1.500 ms',
    ' 4           NL  192.0.2.1  1.500 ms',
  ]);
  t.same(hopLines(hops.slice(3)), [' 4  NL  192.0.2.1  1.500 ms']);
});

t.test('refusals have the letters of traceroute, others their code', async (t) => {
  const marks = [
    ['net_unreachable', 0, ' !N'],
    ['net_unknown', 6, ' !N'],
    ['source_isolated', 8, ' !N'],
    ['net_unreachable_for_tos', 11, ' !N'],
    ['no_route', 0, ' !N'],
    ['host_unreachable', 1, ' !H'],
    ['host_unknown', 7, ' !H'],
    ['host_unreachable_for_tos', 12, ' !H'],
    ['address_unreachable', 3, ' !H'],
    ['protocol_unreachable', 2, ' !P'],
    ['net_prohibited', 9, ' !X'],
    ['host_prohibited', 10, ' !X'],
    ['admin_prohibited', 13, ' !X'],
    ['source_route_failed', 5, ' !S'],
    ['beyond_scope', 2, ' !S'],
    ['fragmentation_needed', 4, ' !F'],
    ['packet_too_big', 0, ' !F'],
    ['precedence_violation', 14, ' !V'],
    ['precedence_cutoff', 15, ' !C'],
    ['destination_unreachable', 77, ' !<77>'],
    ['port_unreachable', 3, ''],
    ['tcp_rst', null, ''],
  ] as const;
  for (const [icmp_type, icmp_code, mark] of marks)
    t.same(hopLines([{ ttl: 1, replies: [aReply({ icmp_type, icmp_code })] }]), [` 1  192.0.2.1  1.500 ms${mark}`]);
});

t.test('flows that went other ways stand apart, those that went the same way together', async (t) => {
  const flows = (...ips: string[]) => ips.map((ip, i) => aReply({ flow: i + 1, ip }));
  t.same(
    hopLines([
      { ttl: 1, replies: flows('192.0.2.1', '192.0.2.1', '192.0.2.1') },
      { ttl: 2, replies: flows('192.0.2.2', '192.0.2.3', '192.0.2.2') },
      { ttl: 3, replies: flows('192.0.2.4').map((reply) => ({ ...reply, flow: 2 })) },
    ]),
    [
      ' 1  192.0.2.1  1.500 ms  1.500 ms  1.500 ms',
      ' 2  [flow 1,3]  192.0.2.2  1.500 ms  1.500 ms',
      '    [flow 2]  192.0.2.3  1.500 ms',
      ' 3  [flow 2]  192.0.2.4  1.500 ms',
    ],
  );
});

t.test('more than ten times of a hop are printed as their range', async (t) => {
  const replies = [...Array.from({ length: 11 }, (_, i) => aReply({ rtt_ms: i })), aReply(silence)];
  t.same(hopLines([{ ttl: 1, replies }]), [' 1  192.0.2.1  0.000/5.000/10.000 ms min/avg/max  11/12 replies']);
});

t.test('statistics have the columns of mtr, further addresses and labels below', async (t) => {
  const none = { min_ms: null, avg_ms: null, max_ms: null, stddev_ms: null, last_ms: null };
  const silent: HopStatistics = {
    ttl: 1,
    ip: [],
    hostname: [],
    sent: 10,
    received: 0,
    loss_pct: 100,
    rtt: none,
    jitter_ms: null,
    icmp_type: null,
    icmp_code: null,
  };
  const answered: HopStatistics = {
    ...silent,
    ttl: 12,
    ip: ['192.0.2.1', '192.0.2.2'],
    hostname: ['a.example.net', null],
    received: 9,
    loss_pct: 10,
    rtt: { min_ms: 0.1, avg_ms: 1.25, max_ms: 20.5, stddev_ms: 0.3, last_ms: 1 },
    jitter_ms: 0.2,
    icmp_type: 'admin_prohibited',
    mpls: stack.slice(1),
  };
  t.same(statisticsLines([silent, answered]), [
    '        Host                           Loss%  Snt  Last   Avg  Best   Wrst  StDev  Javg',
    ' 1.|--  ???                           100.0%   10     -     -     -      -      -     -',
    '12.|--  a.example.net (192.0.2.1) !X   10.0%   10  1.00  1.25  0.10  20.50   0.30  0.20',
    '        192.0.2.2',
    '        [MPLS: Lbl 3 TC 0 S 1 TTL 254]',
  ]);
  t.same(statisticsLines([silent, { ...answered, asn: 64_496, country: 'DE' }]), [
    '        Network      Host                           Loss%  Snt  Last   Avg  Best   Wrst  StDev  Javg',
    ' 1.|--               ???                           100.0%   10     -     -     -      -      -     -',
    '12.|--  AS64496  DE  a.example.net (192.0.2.1) !X   10.0%   10  1.00  1.25  0.10  20.50   0.30  0.20',
    '                     192.0.2.2',
    '                     [MPLS: Lbl 3 TC 0 S 1 TTL 254]',
  ]);
  t.same(statisticsLines([]), []);
});
