import { isIP, isIPv4 } from 'node:net';
import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { formatAddress, isCanonical, parseAddress } from './address.js';

const ipv6Value = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
  // groups that are often zero, so that there is something to compress
  fc
    .array(fc.constantFrom<bigint>(0n, 0n, 0n, 1n, 0xfn, 0xffffn), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.reduce((value, group) => (value << 16n) | group)),
);
const isMapped = (value: bigint) => value >> 32n === 0xffffn;

/** IPv6 address as the WHATWG URL parser writes it, which is RFC 5952 without dots. */
function urlForm(text: string): string {
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

t.test('text from RFC 5952 comes out as the RFC writes it', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:0db8::0001', '2001:db8::1'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:db8:0:0:0:0:2:1', '2001:db8::2:1'],
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:DB8::ABCD', '2001:db8::abcd'],
    ['::', '::'],
    ['1::', '1::'],
    ['0:0:0:0:0:0:0:1', '::1'],
  ];
  for (const [text, canonical] of cases) {
    const address = parseAddress(text);
    t.equal(address && formatAddress(address), canonical, text);
    t.equal(address && isCanonical(address, text), text === canonical, text);
  }
});

t.test('every IPv6 value is written as the URL standard writes it, and read back', async () => {
  fc.assert(
    fc.property(
      ipv6Value.filter((value) => !isMapped(value)),
      (value) => {
        const text = formatAddress({ family: 6, value });
        const read = parseAddress(text);
        return (
          urlForm(text) === text &&
          read !== null &&
          read.family === 6 &&
          read.value === value &&
          isCanonical(read, text)
        );
      },
    ),
    { numRuns: rounds(2000) },
  );
});

t.test('every IPv4 value is written in dotted decimal and read back', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), (value) => {
      const text = formatAddress({ family: 4, value });
      const read = parseAddress(text);
      return isIP(text) === 4 && read !== null && read.family === 4 && read.value === value && isCanonical(read, text);
    }),
    { numRuns: rounds(2000) },
  );
});

t.test('dotted decimals are read exactly where Node.js sees an IPv4 address', async (t) => {
  const part = fc.oneof(
    fc.nat(300).map(String),
    fc.constantFrom('', '0', '00', '01', '255', '256', '0x1', '1e1', '-1', '+1', ' 1', '1 ', '１', '/', ':'),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts.join('.');
      return text.includes(':') || (parseAddress(text) !== null) === isIPv4(text);
    }),
    { numRuns: rounds(5000) },
  );
  for (const text of ['1.2.3.4', '0.0.0.0', '255.255.255.255']) t.not(parseAddress(text), null, text);
  for (const text of ['', '.', '...', '1.2.3', '1.2.3.', '.1.2.3', '1..2.3', '1.2.3.4.', '1.2.3.04', '1.2.3.256'])
    t.equal(parseAddress(text), null, text);
});

t.test('what is read as an address is one for the system too, and the same', async () => {
  const piece = fc.constantFrom(
    '0',
    '1',
    'f',
    '00',
    '0001',
    '12345',
    'ffff',
    'FFFF',
    ':',
    '::',
    '.',
    '127',
    '255',
    '256',
    '01',
    '%',
    '1.2.3.4',
    '0x7f',
    '-',
    ' ',
  );
  const text = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.oneof(text, fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (candidate) => {
      const address = parseAddress(candidate);
      if (address === null) return true;
      if (isIP(candidate) === 0) return false;
      const value = address.family === 6 ? address.value : (0xffffn << 32n) | address.value;
      return candidate.includes(':')
        ? urlForm(candidate) === urlForm(formatAddress({ family: 6, value }))
        : formatAddress(address) === candidate;
    }),
    { numRuns: rounds(5000) },
  );
});

t.test('every address without a zone that the system reads is read', async () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => parseAddress(text) !== null),
    { numRuns: rounds(2000) },
  );
});

t.test('the last 32 bits may be written with dots, and mapped addresses are IPv4', async (t) => {
  t.same(parseAddress('::ffff:1.2.3.4'), { family: 4, value: 0x01020304n });
  t.same(parseAddress('::FFFF:102:304'), { family: 4, value: 0x01020304n });
  t.same(parseAddress('0:0:0:0:0:ffff:1.2.3.4'), { family: 4, value: 0x01020304n });
  t.same(parseAddress('::1.2.3.4'), { family: 6, value: 0x01020304n }, 'compatible is not mapped');
  t.same(parseAddress('64:ff9b::1.2.3.4'), { family: 6, value: (0x64_ff9bn << 96n) | 0x01020304n });
  t.same(parseAddress('1:2:3:4:5:6:1.2.3.4'), parseAddress('1:2:3:4:5:6:102:304'));
  const wrong = [
    '::ffff:01.2.3.4',
    '::ffff:0177.0.0.1',
    '::ffff:1.2.3',
    '::ffff:256.1.1.1',
    '::1.2.3.4:5',
    '1.2.3.4::',
    '1.2.3.4:1::',
    '::1.2.3.4.5',
    '::.',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3.4%1',
    '::0x1.2.3.4',
  ];
  for (const text of wrong) t.equal(parseAddress(text), null, text);
});

t.test('a mapped address has two canonical spellings', async (t) => {
  const address = { family: 4, value: 0x01020304n } as const;
  for (const text of ['1.2.3.4', '::ffff:1.2.3.4', '::ffff:102:304']) t.equal(isCanonical(address, text), true, text);
  for (const text of ['::FFFF:1.2.3.4', '::ffff:0102:304', '0:0:0:0:0:ffff:102:304'])
    t.equal(isCanonical(address, text), false, text);
});
