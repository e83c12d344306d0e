import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { missing } from '@vantage/shared/_support/missing.js';
import { encodeName } from '@vantage/shared/record-values/domain-name.js';
import t from 'tap';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { decodeMessage } from '../../net/dns/message.js';
import { presentRecords } from './records.js';

const OWNER = 'all.example.com';

const n = (name: string) => encodeName(name);
const u8 = (...values: number[]) => Buffer.from(values);
const u16 = (value: number) => Buffer.of(value >> 8, value & 255);
const u32 = (value: number) => Buffer.from([24, 16, 8, 0].map((shift) => (value >>> shift) & 255));
const str = (text: string | Buffer) => Buffer.concat([u8(Buffer.byteLength(text)), Buffer.from(text)]);
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const param = (key: number, ...value: Buffer[]) =>
  Buffer.concat([u16(key), u16(Buffer.concat(value).length), ...value]);
const key = Buffer.alloc(64, 0xa5);
const svcb = (type: number, priority: number, target: string, ...params: Buffer[]): [number, ...Buffer[]] => [
  type,
  u16(priority),
  n(target),
  ...params,
];

/** One or more records of every type that has a format of its own: number of the type, then the data. */
const records: readonly (readonly [number, ...Buffer[]])[] = [
  [1, u8(192, 0, 2, 1)],
  [2, n('NS.example.com')],
  [5, n('a\\.b\\032c\\007\\(\\)\\;\\@\\$\\"\\\\.example.com')],
  [6, n('ns.example.com'), n('host\\.master.example.com'), u32(2 ** 31), u32(2), u32(3), u32(4), u32(4294967295)],
  [7, n('mb.example.com')],
  [12, n('.')],
  [13, str('PC "x"'), str('')],
  [14, n('a.example.com'), n('b.example.com')],
  [15, u16(10), n('mail.example.com')],
  [15, u16(0), n('.')],
  [16, str('v=spf1 -all'), str('say "hi" \\ ; @ ü'), str('')],
  [16, str(Buffer.alloc(255, 0xff)), str('\t\n\x7f')],
  [17, n('mbox.example.com'), n('txt.example.com')],
  [18, u16(1), n('afs.example.com')],
  [19, str('311061700956')],
  [20, str('150862028003217'), str('004')],
  [21, u16(10), n('rt.example.com')],
  [26, u16(10), n('map822.example.com'), n('mapx400.example.com')],
  [27, str('-32.6882'), str('116.8652'), str('10.0')],
  [28, hex('20010db8000000000001000000000001')],
  [28, hex('00000000000000000000ffffc0000201')],
  [28, hex('20010db8000000010001000100010001')],
  [28, hex('00000000000000000000000000000001')],
  [28, hex('20010db8000000010000000000010000')],
  [28, hex('00000000000000000000000000000000')],
  [29, hex('00 12 16 13 8b 0d 2c 8c 7f f4 85 1c 00 98 8d 20')],
  [29, hex('00 33 00 95 80 00 00 00 80 00 00 00 00 00 00 01')],
  [33, u16(1), u16(2), u16(443), n('s.example.com')],
  [35, u16(100), u16(50), str('s'), str('z3950+I2L+I2C'), str('!^.*$!\\\\1!'), n('_z3950._tcp.example.com')],
  [36, u16(1), n('kx.example.com')],
  [37, u16(1), u16(12345), u8(8), key],
  [37, u16(9999), u16(0), u8(200), key],
  [39, n('d.example.com')],
  [42, u16(1), u8(21, 3, 192, 168, 32), u16(1), u8(28, 0x84, 224, 0, 0, 1), u16(2), u8(8, 1, 0xff)],
  [43, u16(60485), u8(5, 1), hex('2bb183af5f22588179a53b0a98631fad1a292118')],
  [44, u8(4, 2), hex('123456789abcdef67890123456789abcdef67890123456789abcdef123456789')],
  [46, u16(1), u8(13, 2), u32(3600), u32(1767225600), u32(1764547200), u16(12345), n('Example.com'), key],
  [46, u16(65280), u8(13, 2), u32(3600), u32(2147483647), u32(0), u16(1), n('.'), key],
  [47, n('host.example.com'), hex('0006400100000003 041b000000000000000000000000000000000000000000000000000020')],
  [48, u16(257), u8(3, 13), key],
  [49, hex('000201636f6e')],
  [
    50,
    u8(1, 1),
    u16(12),
    str(hex('aabbccdd')),
    str(hex('174eb2409fe28bcb4887a1836f957f0a8425e27b')),
    hex('000722010000000290'),
  ],
  [50, u8(1, 0), u16(0), str(''), str(hex('174eb2409fe28bcb4887a1836f957f0a8425e27b'))],
  [51, u8(1, 0), u16(10), str('')],
  [52, u8(3, 1, 1), hex('d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971')],
  [53, u8(3, 1, 1), hex('d2abde24')],
  [59, u16(60485), u8(13, 2), Buffer.alloc(32, 0xab)],
  [60, u16(256), u8(3, 13), key],
  [61, key],
  [62, u32(66), u16(3), hex('000460000008')],
  [63, u32(2018031500), u8(1, 1), Buffer.alloc(48, 0xab)],
  svcb(64, 0, 'alias.example.com'),
  svcb(64, 16, 'svc.example.com', param(3, u16(53))),
  svcb(65, 1, '.', param(1, str('h2'), str('h3'))),
  svcb(
    65,
    1,
    'pool.example.com',
    param(0, u16(1), u16(4)),
    param(1, str('h2'), str('h3-19')),
    param(2),
    param(3, u16(8443)),
    param(4, u8(192, 0, 2, 1), u8(192, 0, 2, 2)),
    param(
      5,
      hex('0045fe0d0041590020002092a01233db2218518ccbbbbc24df20686af417b37388de6460e94011974777090004000100010012'),
    ),
    param(6, hex('20010db8000000000000000000000001'), hex('00000000000000000000ffffc0000201')),
    param(7, Buffer.from('/dns-query{?dns}')),
    param(667, Buffer.from('hello\xd2qoo"\\', 'latin1')),
    param(668),
  ),
  svcb(64, 1, 'foo.example.com', param(1, str('f\\oo,bar'), str('h2'), str('"'))),
  [99, str('v=spf1 -all')],
  [104, u16(10), hex('0014 4fff ff20 ee64')],
  [105, u16(10), u8(10, 1, 2, 0)],
  [106, u16(10), hex('20010db811401000')],
  [107, u16(10), n('l64.example.com')],
  [108, hex('00005e00532a')],
  [109, hex('00005eef1000002a')],
  [256, u16(10), u16(1), Buffer.from('ftp://ftp1.example.com/public"x"')],
  [257, u8(128), str('issue'), Buffer.from('ca.example.net; a="b"')],
  [258, str('app-name:WOLFGANG|app-class:OAM')],
  [32769, u16(60485), u8(5, 1), Buffer.alloc(20, 0xab)],
  [65280, hex('0102 ff')],
  [65281],
];

t.test('records of every type read as dig prints them', { skip: missing('dig') }, async (t) => {
  const server = await startDnsServer(t, ({ id, asked }) => [message(id, asked)]);
  const { address, port } = server.endpoint;
  const options = ['+tcp', '+nosplit', '+noall', '+answer', '+time=5', '+tries=1'];
  const { stdout } = await promisify(execFile)('dig', [`@${address}`, '-p', String(port), ...options, OWNER, 'ANY']);
  const digs = stdout.trim().split('\n').map(cells);
  const ours = presentRecords(decodeMessage(message(1, OWNER)).answers, OWNER).map(
    ({ name, ttl, type, value, ...rest }) => [`${name}.`, String(ttl), rest.class, type, value],
  );
  t.equal(digs.length, records.length);
  for (const [i, ourCells] of ours.entries()) t.strictSame(ourCells, digs[i], String(digs[i]?.[3]));
});

/** Owner, seconds, class, type, data. */
function cells(line: string): string[] {
  const [, name = '', ttl = '', recordClass = '', type = '', value = ''] =
    /^(\S+)\s+(\d+)\s+(\S+)\s+(\S+)\s*(.*)$/.exec(line) ?? [];
  return [name, ttl, recordClass, type, value];
}

function message(id: number, asked: string): Buffer {
  const answers = records.map(([type, ...data]) => {
    const bytes = Buffer.concat(data);
    // dig insists on a hash as the owner of NSEC3
    const owner = type === 50 ? n(`${'0'.repeat(32)}.example.com`) : u16(0xc00c);
    return Buffer.concat([owner, u16(type), u16(1), u32(300), u16(bytes.length), bytes]);
  });
  const header = Buffer.concat([u16(id), u16(0x8580), u16(1), u16(answers.length), u16(0), u16(0)]);
  return Buffer.concat([header, n(asked), u16(255), u16(1), ...answers]);
}
