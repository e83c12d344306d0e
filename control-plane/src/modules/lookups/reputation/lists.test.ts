import { parseAddress } from '@vantage/shared/target-policy/address.js';
import { type Cidr, isInside, parseCidr } from '@vantage/shared/target-policy/address-ranges.js';
import fc from 'fast-check';
import t from 'tap';
import type { TextFormat } from './list-line.js';
import { ListReader, listOf, type ReadList } from './list-reader.js';
import { refusalOf } from './version-guard.js';

/** Reads a text in pieces of a size. */
function read(text: string | Uint8Array, format: TextFormat = 'cidrs', pieceBytes = 1 << 16): ReadList {
  const bytes = Buffer.from(text as string);
  const reader = new ListReader(format);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes));
  return listOf(reader.end());
}
const find = (list: ReadList, text: string, asn: number | null = null) => {
  const address = parseAddress(text);
  return address === null ? null : list.entries.find(address, asn);
};
const counts = ({ lines, unreadable, refused, entries }: ReadList) => [lines, unreadable, refused, entries.count];

// few bits vary, so that prefixes are often nested, equal or neighbours
const v4 = fc.tuple(fc.integer({ min: 0, max: 0x3f }), fc.integer({ min: 20, max: 32 })).map(([n, bits]) => {
  const value = ((8 * 0x100_0000 + n * 61) >>> (32 - bits)) * 2 ** (32 - bits);
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}/${bits}`;
});
const v6 = fc
  .tuple(fc.integer({ min: 0, max: 0xff }), fc.constantFrom(32, 48, 64, 96, 128))
  .map(
    ([n, bits]) =>
      `2a00:${(n >> 6).toString(16)}:${bits > 32 ? (n >> 4) & 3 : 0}:${bits > 48 ? (n >> 2) & 3 : 0}:${bits > 64 ? n & 3 : 0}::/${bits}`,
  );
const prefixes = fc.array(fc.oneof(v4, v6), { maxLength: 40 });
const address = fc.oneof(
  fc.integer({ min: 0, max: 0xfff }).map((n) => `8.0.${n >> 8}.${n & 255}`),
  fc.integer({ min: 0, max: 0xff }).map((n) => `2a00:${n >> 6}:${(n >> 4) & 3}:${(n >> 2) & 3}:${n & 3}::`),
);

/** The widest prefix that has the address, by looking at each. */
function scan(texts: readonly string[], wanted: string): string | null {
  const where = parseAddress(wanted);
  const cidrs = texts
    .map(parseCidr)
    .filter((cidr): cidr is Cidr => cidr !== null && where !== null && isInside(cidr, where));
  const widest = cidrs.reduce<Cidr | null>((a, b) => (a === null || b.last - b.first > a.last - a.first ? b : a), null);
  return widest === null ? null : `${widest.first}-${widest.last}`;
}
const bounds = (text: string | null) => {
  const cidr = text === null ? null : parseCidr(text);
  return cidr === null ? null : `${cidr.first}-${cidr.last}`;
};

t.test('a search finds the entry that a scan of all entries finds', async () => {
  fc.assert(
    fc.property(prefixes, fc.array(address, { minLength: 1, maxLength: 20 }), (texts, addresses) => {
      const list = read(texts.join('\n'));
      return addresses.every((one) => bounds(find(list, one)) === scan(texts, one));
    }),
    { numRuns: 500 },
  );
});

t.test('neither the order of lines nor the size of the pieces changes a list', async () => {
  fc.assert(
    fc.property(prefixes, fc.integer({ min: 1, max: 50 }), fc.array(address), (texts, pieceBytes, addresses) => {
      const one = read(texts.join('\n'));
      const other = read(`\ufeff${texts.toReversed().join(' # remark\r\n')}`, 'cidrs', pieceBytes);
      return (
        JSON.stringify(counts(one)) === JSON.stringify(counts(other)) &&
        addresses.every((address) => find(one, address) === find(other, address))
      );
    }),
  );
});

t.test('a private or reserved line, wherever it stands, changes nothing', async (t) => {
  const refused = [
    '10.0.0.0/8',
    '192.168.1.1',
    '127.0.0.1/32',
    '100.64.0.0/10',
    '203.0.113.0/24',
    'fc00::/7',
    '::1',
    '2001:db8::/32',
    '::ffff:10.0.0.1',
    '240.0.0.1',
  ];
  for (const line of refused) t.same(counts(read(`${line}\n`)), [1, 0, 1, 0], line);
  fc.assert(
    fc.property(prefixes, fc.constantFrom(...refused), fc.nat(40), address, (texts, line, at, wanted) => {
      const more = read([...texts.slice(0, at), line, ...texts.slice(at)].join('\n'));
      return more.unreadable === 0 && find(more, wanted) === find(read(texts.join('\n')), wanted);
    }),
  );
});

t.test('prefixes wider than /8 and /19 are refused line by line', async (t) => {
  t.same(counts(read('0.0.0.0/0\n8.0.0.0/7\n8.0.0.0/8\n::/0\n2a00::/18\n2a00::/19\n')), [6, 0, 4, 2]);
  t.equal(find(read('8.0.0.0/8'), '8.1.2.3'), '8.0.0.0/8');
  t.equal(find(read('2a00::/19'), '2a00:1::1'), '2a00::/19');
});

t.test('lines of every form are read, and none of another form', async (t) => {
  const text =
    '\ufeff# comment\r\n; comment\r\n// comment\r\n\r\n 8.8.8.8 \r\n8.8.4.0/24 ; SBL1\r\n9.9.9.9,reason\n2A00::1\n::ffff:9.1.1.1\n8.8.8.8\n9.9.9.10';
  t.same(counts(read(text)), [7, 0, 0, 6]);
  for (const found of ['8.8.8.8', '8.8.4.1', '9.9.9.9', '2a00::1', '9.1.1.1', '9.9.9.10'])
    t.ok(find(read(text), found), found);
  const unreadable = [
    '<html>',
    '8.8.8',
    '8.8.8.8/33',
    '8.8.8.8/24',
    '08.8.8.8',
    '8.8.8.256',
    '8.8.8.8/',
    '8.8.8.8/08',
    '1.2.3.4.5',
    '8.8.8.8-8.8.8.9',
    '::g',
    '\0',
  ];
  for (const line of unreadable) t.same(counts(read(`${line}\n9.9.9.9\n`)), [2, 1, 0, 1], line);
  t.same(counts(read('8.8.8.0/24\n8.8.8.8\n', 'addresses')), [2, 1, 0, 1], 'an address list has no CIDRs');
});

t.test('exit lists of Tor and lists of networks are read', async (t) => {
  const tor =
    'ExitNode 0011\nPublished 2026-11-20 01:02:03\nLastStatus 2026-11-20 02:00:00\nExitAddress 8.8.8.8 2026-11-20 02:03:04\n9.9.9.9\nExitAddress nonsense x\n';
  t.same(counts(read(tor, 'tor_exit')), [3, 1, 0, 2]);
  t.equal(find(read(tor, 'tor_exit'), '8.8.8.8'), '8.8.8.8/32');
  const asns = read('AS15169 # Google\n13335,Cloudflare\nas4294967294\nAS64512\n0\n99999999999\nASx\n15169\n', 'asns');
  t.same(counts(asns), [8, 2, 3, 2]);
  t.equal(find(asns, '8.8.8.8', 15169), 'AS15169');
  t.equal(find(asns, '8.8.8.8', 15170), null);
  t.equal(find(asns, '8.8.8.8', null), null);
});

t.test('a line without an end is unreadable once and takes no memory', async (t) => {
  const reader = new ListReader('cidrs');
  const piece = Buffer.alloc(1 << 16, 'x');
  for (let i = 0; i < 200; i += 1) reader.push(piece);
  reader.push(Buffer.from('\n8.8.8.8'));
  t.same(counts(listOf(reader.end())), [2, 1, 0, 1]);
});

t.test('a version that is unreadable, much smaller or empty is refused', async (t) => {
  const version = (lines: number, unreadable: number, entries: number) => ({ lines, unreadable, refused: 0, entries });
  t.equal(refusalOf(version(1000, 10, 990), null), null, 'one percent is no more than one percent');
  t.equal(refusalOf(version(1000, 11, 989), null), 'unreadable');
  t.equal(refusalOf(version(500, 0, 500), 1000), null, 'half is not less than half');
  t.equal(refusalOf(version(499, 0, 499), 1000), 'shrunk');
  t.equal(refusalOf(version(0, 0, 0), 1000), 'shrunk');
  t.equal(refusalOf(version(0, 0, 0), null), 'empty');
  t.equal(refusalOf(version(100, 0, 100), 0), null);
});
