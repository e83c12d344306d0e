import t from 'tap';
import { type Hop, type HopStatistics, placeHops } from './hops.js';

const reply = (ip: string | null) => ({ flow: 1, ip, rtt_ms: null, icmp_type: null, icmp_code: null });
const whereIs = (address: string) =>
  address === '81.2.69.1' ? { asn: 20712, country: 'GB' } : address === '1.128.0.1' ? { asn: 1221 } : null;

t.test('each hop says where its first address is, and nothing that a node made up', async (t) => {
  const hops: Hop[] = [
    { ttl: 1, replies: [reply('192.168.1.1')], asn: 666, country: 'XX' },
    { ttl: 2, replies: [reply(null), reply('81.2.69.1'), reply('1.128.0.1')] },
    { ttl: 3, replies: [reply('1.128.0.1')], country: 'XX' },
    { ttl: 4, replies: [reply(null)], asn: 666 },
    { ttl: 5, replies: [] },
  ];
  placeHops({ hops }, whereIs);
  const places = hops.map(({ asn, country }) => [asn, country]);
  t.strictSame(places, [
    [undefined, undefined],
    [20712, 'GB'],
    [1221, undefined],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

t.test('counted hops are placed by the first who answered', async (t) => {
  const hops = [
    { ttl: 1, ip: ['81.2.69.1', '1.128.0.1'] },
    { ttl: 2, ip: [] },
  ] as unknown as HopStatistics[];
  placeHops({ hops }, whereIs);
  t.match(hops, [{ asn: 20712, country: 'GB' }, { asn: undefined }]);
});
