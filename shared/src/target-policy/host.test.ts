import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { verdictOf } from './_support/verdict.js';
import { formatHost, type Host, parseHost, parseHostPort } from './host.js';

/** inet_aton of the C library: one to four numbers, decimal, octal or hexadecimal, the last one filling the rest. */
function inetAton(text: string): string | null {
  const [head = ''] = text.split(/\s/, 1);
  const parts = head.split('.');
  if (parts.length > 4 || !parts.every((part) => /^(0x[0-9a-f]+|0[0-7]*|[1-9]\d*)$/i.test(part))) return null;
  const numbers = parts.map((part) => (/^0[0-7]+$/.test(part) ? Number.parseInt(part, 8) : Number(part)));
  const last = numbers.pop() ?? 0;
  if (numbers.some((number) => number > 255) || last >= 256 ** (4 - numbers.length)) return null;
  const value = numbers.reduce((sum, number, i) => sum + number * 256 ** (3 - i), last);
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

/** The IPv4 address the WHATWG URL parser takes a host for; null when it is a name to it, or nothing. */
function urlAddress(text: string): string | null {
  try {
    const { hostname } = new URL(`http://${text}/`);
    return isIP(hostname) === 4 ? hostname : null;
  } catch {
    return null;
  }
}

function accepted(text: string): Host | null {
  try {
    return parseHost(text);
  } catch {
    return null;
  }
}

const number = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 0xffffffff }));
const spelledNumber = fc.tuple(number, fc.constantFrom(10, 16, 8), fc.boolean()).map(([value, radix, isUpper]) => {
  const text = value.toString(radix);
  if (radix === 8) return `0${text}`;
  if (radix === 16) return isUpper ? `0X${text.toUpperCase()}` : `0x${text}`;
  return text;
});
const wideDigits = (text: string) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const circledDigits = (text: string) =>
  text.replaceAll(/[1-9]/g, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1));
const numericHost = fc
  .tuple(
    fc.array(spelledNumber, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('.', '。', '．', '｡'),
    fc.constantFrom((text: string) => text, wideDigits, circledDigits),
    fc.constantFrom('', '.', ' ', ' x'),
  )
  .map(([parts, dot, disguise, end]) => disguise(parts.join(dot)) + end);

t.test('a host the system would read as an address is that very address, or nothing', async () => {
  fc.assert(
    fc.property(fc.oneof(numericHost, fc.ipV4(), fc.ipV4Extended()), (text) => {
      const host = accepted(text);
      if (host === null) return true;
      if (host.kind === 'name') return false;
      return host.address === text && (inetAton(text) ?? text) === text && (urlAddress(text) ?? text) === text;
    }),
    { numRuns: rounds(5000) },
  );
});

t.test('the system connects what net.isIP does not call an address, and every such spelling is refused', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['127.1', '127.0.0.1'],
    ['127.0.1', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['8.8.2056', '8.8.8.8'],
  ];
  for (const [text, address] of cases) {
    t.equal((await lookup(text, { family: 4 })).address, address, `the system takes ${text} for ${address}`);
    t.equal(inetAton(text), address, 'so does the reference of these tests');
    t.equal(
      verdictOf(() => parseHost(text)),
      'refused target',
      text,
    );
  }
});

t.test('a character that becomes punctuation inside of an A-label is refused', async (t) => {
  for (const text of ['example.\u037eĴ', '\u037e.example', 'a\u037eü.example']) {
    t.equal(
      verdictOf(() => parseHost(text)),
      'malformed target',
      text,
    );
  }
});

t.test('a name that is accepted is a name to the URL parser too, and the same one', async () => {
  const label = fc.oneof(
    fc.constantFrom(
      'example',
      'EXAMPLE',
      'com',
      '0x7f',
      '0x',
      '1',
      '１',
      '①',
      'bücher',
      'faß',
      'xn--bcher-kva',
      'xn--a',
      '-',
      '-a',
      'a-',
      '_dmarc',
      '',
      'ａ',
      'K',
      'a\u00adb',
      '\u200b',
      '℡',
      '例子',
      'İ',
      '\u037eĴ',
      '\u037e',
      '%41',
      'a b',
      '@',
      '/',
    ),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom(...'abcxyz0189-_'), maxLength: 8 }),
  );
  const text = fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '.'))
    .map(([labels, end]) => labels.join('.') + end);
  fc.assert(
    fc.property(text, (candidate) => {
      const host = accepted(candidate);
      if (host === null || host.kind === 'address') return true;
      const { hostname } = new URL(`http://${candidate}/`);
      return (
        hostname.replace(/\.$/, '') === host.name && isIP(hostname) === 0 && /^[a-z0-9_.-]{1,253}$/.test(host.name)
      );
    }),
    { numRuns: rounds(5000) },
  );
});

t.test('parsing what was parsed changes nothing', async () => {
  const text = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom(
      'Bücher.example',
      'EXAMPLE.com.',
      '[2606:4700::1]',
      '::ffff:8.8.8.8',
      'ΑΒΓ.gr',
      '例子.中国',
      'a_b.example',
    ),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      const host = accepted(candidate);
      return host === null || JSON.stringify(parseHost(formatHost(host))) === JSON.stringify(host);
    }),
    { numRuns: rounds(1000) },
  );
});

t.test('names are lower case, in A-labels, without a final dot', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['example.com', 'example.com'],
    ['EXAMPLE.Com.', 'example.com'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['例子.中国', 'xn--fsqu00a.xn--fiqs8s'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['r3---sn-apo3.googlevideo.com', 'r3---sn-apo3.googlevideo.com'],
    ['1.example', '1.example'],
    ['4.3.2.1.in-addr.arpa', '4.3.2.1.in-addr.arpa'],
    ['a.0xg', 'a.0xg'],
  ];
  for (const [text, name] of cases) t.same(parseHost(text), { kind: 'name', name }, text);
});

t.test('addresses are canonical text with their family', async (t) => {
  t.same(parseHost('8.8.8.8'), { kind: 'address', address: '8.8.8.8', family: 4 });
  t.same(parseHost('2606:4700::1111'), { kind: 'address', address: '2606:4700::1111', family: 6 });
  t.same(parseHost('[2606:4700::1111]'), { kind: 'address', address: '2606:4700::1111', family: 6 });
  t.same(parseHost('::ffff:8.8.8.8'), { kind: 'address', address: '8.8.8.8', family: 4 });
  t.same(parseHost('[::ffff:808:808]'), { kind: 'address', address: '8.8.8.8', family: 4 });
  t.same(
    parseHost('127.0.0.1'),
    { kind: 'address', address: '127.0.0.1', family: 4 },
    'whether it may be probed is asked elsewhere',
  );
});

const longLabel = 'a'.repeat(63);
const name253 = `${longLabel}.${longLabel}.${longLabel}.${'a'.repeat(57)}.com`;

t.test('malformed: what is no host at all', async (t) => {
  t.same(parseHost(name253), { kind: 'name', name: name253 }, '253 characters are a name');
  t.same(parseHost(`${name253}.`), { kind: 'name', name: name253 }, 'the final dot does not count');
  t.same(parseHost(`${longLabel}.com`), { kind: 'name', name: `${longLabel}.com` }, '63 characters are a label');
  const cases = [
    '',
    '.',
    '..',
    'a..b',
    '.a.com',
    'a.com..',
    `a${name253}`,
    `a${longLabel}.com`,
    `${'ü'.repeat(63)}.com`,
    'a b.com',
    ' a.com',
    'a.com ',
    'a\tb.com',
    'a\0.com',
    'a%41.com',
    'a@b.com',
    'a/b.com',
    'a\\b.com',
    'a?b.com',
    'a#b.com',
    'a.com:80',
    'http://a.com',
    'a,b.com',
    'a*b.com',
    '*.a.com',
    '(a).com',
    "a'.com",
    'a-.com',
    'a.-b.com',
    'xn--a.com',
    'xn--zn7c.com',
    '[a.com]',
    '[8.8.8.8]',
    '[]',
    '[::1',
    '::1]',
    '[::1]]',
    '[[::1]]',
    '1::2::3',
    '::g',
    '12345::',
    ':',
    ':::',
    '1:2:3:4:5:6:7:8:9',
    '\ud800.com',
    '💩\ud83d.com',
  ];
  for (const text of cases)
    t.equal(
      verdictOf(() => parseHost(text, 'params.server')),
      'malformed params.server',
      JSON.stringify(text.slice(0, 40)),
    );
});

t.test('refused: numbers in any but canonical form, also under a disguise', async (t) => {
  const cases = [
    '127.1',
    '127.0.1',
    '1',
    '00',
    '08',
    '0x',
    '0X7F.1',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.04',
    '8.8.8.8.',
    '1.2.3.0x4',
    'a.1',
    'a.0x7f',
    'example.08',
    '4294967296',
    '１２７.0.0.1',
    '1２7.0.0.1',
    '①②⑦.0.0.①',
    '127。0。0。1',
    '127．0.0.1',
    '𝟙.𝟚.𝟛.𝟜',
    '⑧.8.8.8',
    '¹.1.1.1',
    '2606:4700:0::1111',
    '2606:4700:0:0:0:0:0:1111',
    '2606:4700::01111'.replace('01111', '0111'),
    '2001:DB8::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:8.8.8.8'.toUpperCase(),
    '1::0',
    '::1.2.3.4',
    '64:ff9b::1.2.3.4',
    '2606::1:0:0:0:0',
    'fe80::1%eth0',
    '[fe80::1%25eth0]',
    'fe80::1%',
    '2606:4700::1%1',
  ];
  for (const text of cases)
    t.equal(
      verdictOf(() => parseHost(text)),
      'refused target',
      text,
    );
});

t.test('refused: names that IDNA would turn into other names', async (t) => {
  for (const text of [
    'ｅxample.com',
    'exa\u00admple.com',
    'exa\u200bmple.com',
    '℡.com',
    'Ⅷ.com',
    '\u212Aelvin.com',
    'ﬁ.com',
    'example。com',
    'l\u00adocalhost',
    'ⓛocalhost',
    'bücher.xn--bcher-kva.ｃom',
  ]) {
    t.equal(
      verdictOf(() => parseHost(text)),
      'refused target',
      JSON.stringify(text),
    );
  }
});

t.test('refused: names for local use, single labels, a leading hyphen', async (t) => {
  const cases = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'foo.localhost',
    'a.b.localhost.',
    'printer.local',
    'x.LOCAL',
    'metadata.google.internal',
    'ip-10-0-0-1.ec2.internal',
    'nas.home.arpa',
    'home.arpa',
    'abcdefghij.onion',
    'metadata.goog',
    'metadata.tencentyun.com',
    'metadata',
    'router',
    'com',
    'xn--p1ai',
    'ком',
    '-oProxyCommand=x',
    '-',
    '--',
    '-a.example.com',
    '-1',
  ];
  for (const text of cases)
    t.equal(
      verdictOf(() => parseHost(text)),
      'refused target',
      text,
    );
  for (const text of [
    'localhost.example',
    'local.example',
    'notlocal.example',
    'mylocalhost.example',
    'internal.example.com',
    'arpa.home',
    'notmetadata.goog',
  ]) {
    t.equal(
      verdictOf(() => parseHost(text)),
      'allowed',
      text,
    );
  }
});

t.test('a host and port is h, h:80, [::1]:80 or ::1', async (t) => {
  const name: Host = { kind: 'name', name: 'example.com' };
  const v6: Host = { kind: 'address', address: '2606:4700::1', family: 6 };
  t.same(parseHostPort('example.com'), { host: name, port: null });
  t.same(parseHostPort('example.com:1'), { host: name, port: 1 });
  t.same(parseHostPort('EXAMPLE.com.:65535'), { host: name, port: 65535 });
  t.same(parseHostPort('8.8.8.8:53'), { host: { kind: 'address', address: '8.8.8.8', family: 4 }, port: 53 });
  t.same(parseHostPort('2606:4700::1'), { host: v6, port: null });
  t.same(parseHostPort('[2606:4700::1]'), { host: v6, port: null });
  t.same(parseHostPort('[2606:4700::1]:443'), { host: v6, port: 443 });
  t.same(
    parseHostPort('2606:4700::1:443').host,
    { kind: 'address', address: '2606:4700::1:443', family: 6 },
    'without brackets it is all address',
  );
  const ports = [
    '0',
    '65536',
    '99999',
    '100000',
    '080',
    '',
    ' 80',
    '80 ',
    '+80',
    '-1',
    '8e1',
    '0x50',
    '80.0',
    '８０',
    '80\n',
  ];
  for (const port of ports)
    t.equal(
      verdictOf(() => parseHostPort(`example.com:${port}`)),
      'malformed target',
      JSON.stringify(port),
    );
  for (const port of ports)
    t.equal(
      verdictOf(() => parseHostPort(`[2606:4700::1]:${port}`)),
      'malformed target',
      `[]:${JSON.stringify(port)}`,
    );
  for (const text of ['a.com:80:80', '[a.com]:80', '[::1]80', '[::1]:80:80', ':80', '[]:80']) {
    t.equal(
      verdictOf(() => parseHostPort(text)),
      'malformed target',
      text,
    );
  }
});

t.test('a name is measured in A-labels', async (t) => {
  const name = `${`${'ü'.repeat(28)}.`.repeat(8)}com`;
  t.ok(name.length <= 253);
  t.throws(() => parseHost(name), { kind: 'malformed', message: 'a host name has at most 253 characters' });
});

t.test('a message quotes what was given, escaped and cut', async (t) => {
  t.throws(() => parseHost('fe80::1%eth0'), { message: '"fe80::1%eth0" has a zone' });
  t.throws(() => parseHost('2001:DB8::1'), { message: '"2001:DB8::1" must be written "2001:db8::1"' });
  t.throws(() => parseHost('a\nb.com'), { message: '"a\\nb.com" is not a host name' });
  t.throws(() => parseHost(`${'x'.repeat(100)}!`), { message: new RegExp(`^"x{80}…" is not a host name$`) });
});
