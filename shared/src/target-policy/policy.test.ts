import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import {
  hasPrefix,
  lastOf,
  mayBeProbed,
  neighbourOf,
  type OraclePrefix,
  prefixOf,
  refusedIPv4Prefixes,
  refusedIPv6Prefixes,
  textOf,
} from './_support/oracle.js';
import { verdictOf } from './_support/verdict.js';
import { parseHost } from './host.js';
import { TargetPolicy } from './policy.js';

const empty = new TargetPolicy({ allow: [], own: [], denied: [] });

function expected(bytes: readonly number[]): string {
  return mayBeProbed(bytes) ? 'allowed' : 'refused target';
}

function judged(bytes: readonly number[], policy = empty): string {
  return verdictOf(() => policy.checkAddress(textOf(bytes)));
}

const byte = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.array(byte, { minLength: 4, maxLength: 4 });
const ipv6 = fc.array(byte, { minLength: 16, maxLength: 16 });

/** Addresses of a prefix: its bits, then anything. */
function inside(prefix: OraclePrefix): fc.Arbitrary<number[]> {
  const { bytes, bits } = prefix;
  return fc.array(byte, { minLength: bytes.length, maxLength: bytes.length }).map((random) =>
    random.map((value, i) => {
      const hostMask = 0xff >> Math.min(8, Math.max(0, bits - i * 8));
      return ((bytes[i] ?? 0) & ~hostMask) | (value & hostMask);
    }),
  );
}

t.test(
  'every refused prefix is refused up to its edges, and addresses next to it are judged by themselves',
  async (t) => {
    const edges = [
      '::/3',
      '4000::/2',
      '8000::/1',
      '2000::/3',
      '::ffff:0:0/96',
      '64:ff9b::/96',
      'fe80::/10',
      'fc00::/7',
      'ff00::/8',
    ];
    for (const prefix of [...refusedIPv4Prefixes, ...refusedIPv6Prefixes, ...edges.map((text) => prefixOf(text))]) {
      const first = [...prefix.bytes];
      const last = lastOf(prefix);
      for (const address of [first, last, neighbourOf(first, -1), neighbourOf(last, 1)]) {
        if (address !== null) t.equal(judged(address), expected(address), `${prefix.text}: ${textOf(address)}`);
      }
    }
  },
);

t.test('the neighbours of some refused prefixes are reachable', async (t) => {
  for (const address of [
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ]) {
    t.equal(
      verdictOf(() => empty.checkAddress(address)),
      'allowed',
      address,
    );
  }
  for (const address of [
    '172.15.255.255',
    '172.32.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
  ]) {
    t.equal(
      verdictOf(() => empty.checkAddress(address)),
      'allowed',
      address,
    );
  }
  for (const address of [
    '2000::',
    '2001:200::',
    '2001:db7:ffff::',
    '2001:db9::',
    '2003::',
    '2620:4f:7fff::',
    '2620:4f:8001::',
    '3fff:1000::',
  ]) {
    t.equal(
      verdictOf(() => empty.checkAddress(address)),
      'allowed',
      address,
    );
  }
});

t.test('cloud metadata addresses are refused', async (t) => {
  const addresses = [
    '169.254.169.254',
    '169.254.170.2',
    'fd00:ec2::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ];
  for (const address of addresses)
    t.throws(() => empty.checkAddress(address), { kind: 'refused', message: /is cloud metadata$/ }, address);
});

t.test('any IPv4 address is judged as the specification says', async () => {
  fc.assert(
    fc.property(ipv4, (bytes) => judged(bytes) === expected(bytes)),
    { numRuns: rounds(3000) },
  );
});

t.test('any IPv6 address is judged as the specification says', async () => {
  const nearPrefixes = refusedIPv6Prefixes.map((prefix) => inside({ ...prefix, bits: prefix.bits - 3 }));
  const global = ipv6.map((bytes) => [0x20 | ((bytes[0] ?? 0) & 0x1f), ...bytes.slice(1)]);
  fc.assert(
    fc.property(fc.oneof(ipv6, global, ...nearPrefixes), (bytes) => judged(bytes) === expected(bytes)),
    { numRuns: rounds(3000) },
  );
});

t.test('no embedding hides a refused IPv4 address', async (t) => {
  const refused = fc.oneof(...refusedIPv4Prefixes.map(inside));
  const zeros = (count: number) => new Array<number>(count).fill(0);
  const embeddings: Record<string, (v4: number[], rest: number[]) => number[]> = {
    'mapped ::ffff:0:0/96': (v4) => [...zeros(10), 0xff, 0xff, ...v4],
    'compatible ::/96': (v4) => [...zeros(12), ...v4],
    'translated ::ffff:0:0:0/96': (v4) => [...zeros(8), 0xff, 0xff, 0, 0, ...v4],
    'NAT64 64:ff9b::/96': (v4) => [0, 0x64, 0xff, 0x9b, ...zeros(8), ...v4],
    'local NAT64 64:ff9b:1::/48': (v4, rest) => [0, 0x64, 0xff, 0x9b, 0, 1, ...rest.slice(0, 6), ...v4],
    '6to4 2002::/16': (v4, rest) => [0x20, 0x02, ...v4, ...rest.slice(0, 10)],
    'Teredo 2001::/32': (v4, rest) => [0x20, 0x01, 0, 0, ...rest.slice(0, 8), ...v4.map((value) => value ^ 0xff)],
  };
  for (const [name, embed] of Object.entries(embeddings)) {
    fc.assert(
      fc.property(refused, ipv6, (v4, rest) => judged(embed(v4, rest)) === 'refused target'),
      { numRuns: rounds(300) },
    );
    t.pass(name);
  }
  fc.assert(
    fc.property(refused, (v4) => verdictOf(() => empty.checkAddress(`::ffff:${v4.join('.')}`)) === 'refused target'),
  );
});

t.test('a mapped address is judged as the IPv4 address it is', async (t) => {
  fc.assert(fc.property(ipv4, (v4) => judged([...new Array<number>(10).fill(0), 0xff, 0xff, ...v4]) === judged(v4)));
  t.equal(
    verdictOf(() => empty.checkAddress('::ffff:8.8.8.8')),
    'allowed',
  );
  const opened = new TargetPolicy({ allow: ['127.0.1.0/24'], own: [], denied: [] });
  t.equal(
    verdictOf(() => opened.checkAddress('::ffff:7f00:101')),
    'allowed',
  );
  t.equal(
    verdictOf(() => opened.checkAddress('::ffff:7f00:1')),
    'refused target',
  );
  t.equal(
    verdictOf(() => opened.checkAddress('::127.0.1.1')),
    'refused target',
    'the compatible form is another address',
  );
});

t.test('allow opens its ranges and nothing else', async (t) => {
  const policy = new TargetPolicy({
    allow: ['127.0.1.0/24', 'fd00:7::/64', '10.1.2.3'],
    own: ['127.0.1.5', '10.1.2.3'],
    denied: [],
  });
  for (const address of [
    '127.0.1.0',
    '127.0.1.5',
    '127.0.1.255',
    'fd00:7::',
    'fd00:7::ffff:ffff:ffff:ffff',
    '10.1.2.3',
  ]) {
    t.equal(
      verdictOf(() => policy.checkAddress(address)),
      'allowed',
      address,
    );
    t.equal(policy.isExempt(address), true, address);
  }
  for (const address of [
    '127.0.0.1',
    '127.0.0.255',
    '127.0.2.0',
    'fd00:6:ffff:ffff::',
    'fd00:7:0:1::',
    '10.1.2.2',
    '10.1.2.4',
    '::1',
  ]) {
    t.equal(
      verdictOf(() => policy.checkAddress(address)),
      'refused target',
      address,
    );
    t.equal(policy.isExempt(address), false, address);
  }
  t.equal(policy.isExempt('8.8.8.8'), false, 'what is allowed anyway is not exempt');
  t.equal(policy.isExempt('localhost'), false, 'a name is not exempt');
});

t.test('an IPv4-mapped entry is the IPv4 prefix, a wider IPv6 entry opens no IPv4', async (t) => {
  const mapped = new TargetPolicy({
    allow: ['::ffff:127.0.1.0/120'],
    own: ['::ffff:9.9.9.9'],
    denied: ['::ffff:8.8.8.0/120'],
  });
  t.equal(
    verdictOf(() => mapped.checkAddress('127.0.1.77')),
    'allowed',
  );
  t.equal(
    verdictOf(() => mapped.checkAddress('127.0.2.0')),
    'refused target',
  );
  t.equal(
    verdictOf(() => mapped.checkAddress('9.9.9.9')),
    'refused target',
  );
  t.equal(
    verdictOf(() => mapped.checkAddress('8.8.8.8')),
    'refused target',
  );
  const wide = new TargetPolicy({ allow: ['::/0'], own: [], denied: [] });
  t.equal(
    verdictOf(() => wide.checkAddress('::1')),
    'allowed',
  );
  t.equal(
    verdictOf(() => wide.checkAddress('127.0.0.1')),
    'refused target',
  );
  t.equal(
    verdictOf(() => wide.checkAddress('::ffff:127.0.0.1')),
    'refused target',
  );
});

t.test('own addresses are refused, their neighbours are not', async (t) => {
  const policy = new TargetPolicy({ allow: [], own: ['8.8.8.8', '2606:4700::1'], denied: [] });
  t.equal(
    verdictOf(() => policy.checkAddress('8.8.8.8', 'params.server')),
    'refused params.server',
  );
  t.equal(
    verdictOf(() => policy.checkAddress('::ffff:808:808')),
    'refused target',
  );
  t.equal(
    verdictOf(() => policy.checkAddress('2606:4700:0:0::1')),
    'refused target',
  );
  t.equal(
    verdictOf(() => policy.checkAddress('8.8.8.9')),
    'allowed',
  );
});

t.test('the deny list wins over allow, for addresses and for names with all below them', async (t) => {
  const policy = new TargetPolicy({
    allow: ['127.0.1.0/24'],
    own: [],
    denied: ['127.0.1.128/25', '8.8.0.0/16', '2606:4700::/32', 'Evil.example.', 'bücher.example', 'gov'],
  });
  const verdict = (text: string) => verdictOf(() => policy.checkHost(parseHost(text)));
  for (const refused of [
    '127.0.1.128',
    '8.8.255.255',
    '2606:4700:ffff::',
    'evil.example',
    'a.b.EVIL.example',
    'xn--bcher-kva.example',
    'nsa.gov',
  ]) {
    t.equal(verdict(refused), 'refused target', refused);
  }
  for (const allowed of [
    '127.0.1.127',
    '8.9.0.0',
    '2606:4701::',
    'notevil.example',
    'evil.example.org',
    'cher.example',
    'gov.example',
  ]) {
    t.equal(verdict(allowed), 'allowed', allowed);
  }
});

t.test('names that DNS answers are judged whatever their case and final dot', async (t) => {
  const policy = new TargetPolicy({ allow: [], own: [], denied: ['evil.example'] });
  for (const name of ['LOCALHOST.', 'x.Internal', 'A.Evil.Example.', 'router']) {
    t.equal(
      verdictOf(() => policy.checkName(name)),
      'refused target',
      name,
    );
  }
  t.equal(
    verdictOf(() => policy.checkName('Edge_1.Example.NET.')),
    'allowed',
  );
});

t.test('a refusal says why', async (t) => {
  const policy = new TargetPolicy({ allow: [], own: ['9.9.9.9'], denied: ['8.8.8.0/24', 'evil.example'] });
  const cases: readonly (readonly [string, string])[] = [
    ['10.0.0.1', 'the address 10.0.0.1 is not allowed: 10.0.0.0/8 is private use, RFC 1918'],
    ['169.254.169.254', 'the address 169.254.169.254 is not allowed: 169.254.169.254/32 is cloud metadata'],
    ['::ffff:a00:1', 'the address 10.0.0.1 is not allowed: 10.0.0.0/8 is private use, RFC 1918'],
    ['::1', 'the address ::1 is not allowed: ::1/128 is loopback, RFC 4291'],
    ['::', 'the address :: is not allowed: ::/128 is unspecified, RFC 4291'],
    ['64:ff9b::808:808', 'the address 64:ff9b::808:808 is not allowed: 64:ff9b::/96 is NAT64, RFC 6052'],
    ['fc00::1', 'the address fc00::1 is not allowed: fc00::/7 is unique local, RFC 4193'],
    ['fe80::1', 'the address fe80::1 is not allowed: fe80::/10 is link local, RFC 4291'],
    ['ff02::1', 'the address ff02::1 is not allowed: ff00::/8 is multicast, RFC 4291'],
    ['5f00::', 'the address 5f00:: is not allowed: 4000::/2 is not global unicast, RFC 4291'],
    ['9.9.9.9', 'the address 9.9.9.9 is not allowed: it belongs to this service'],
    ['8.8.8.8', 'the address 8.8.8.8 is not allowed: it is on the deny list'],
  ];
  for (const [address, message] of cases)
    t.throws(() => policy.checkAddress(address), { name: 'TargetError', kind: 'refused', message }, address);
  t.throws(() => policy.checkName('www.evil.example'), { message: '"www.evil.example" is on the deny list' });
});

t.test('text that is not an address is refused as an address', async (t) => {
  for (const text of [
    '',
    'example.com',
    '127.1',
    '0x08080808',
    '08.8.8.8',
    '8.8.8.8.',
    'fe80::1%eth0',
    '2606:4700::1%1',
    '::8.8.8.8',
    '[2606::1]',
    '1::2::3',
  ]) {
    t.equal(
      verdictOf(() => empty.checkAddress(text)),
      'refused target',
      text,
    );
  }
});

t.test('a bad entry of a list is named', async (t) => {
  const build = (lists: Partial<ConstructorParameters<typeof TargetPolicy>[0]>) => () =>
    new TargetPolicy({ allow: [], own: [], denied: [], ...lists });
  for (const entry of [
    '',
    '127.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '::1/129',
    '::1/64',
    'fe80::1%eth0',
    '127.1/32',
    '10.0.0.0/8/8',
    'x',
    '::ffff:1.2.3.4/95',
  ]) {
    t.throws(
      build({ allow: [entry] }),
      { name: 'RangeError', message: `allow entry ${JSON.stringify(entry)} is not a CIDR or address` },
      entry,
    );
  }
  t.throws(build({ own: ['example.com'] }), {
    name: 'RangeError',
    message: 'own entry "example.com" is not a CIDR or address',
  });
  for (const entry of ['', 'a..b', '1.2.3', '10.0.0.1/8', 'http://x', '*.example.com', '-x']) {
    t.throws(
      build({ denied: [entry] }),
      { name: 'RangeError', message: `denied entry ${JSON.stringify(entry)} is not a CIDR, address or domain name` },
      entry,
    );
  }
});

t.test('any lists judge as a bit by bit comparison does', async () => {
  const prefix = (address: fc.Arbitrary<number[]>, width: number) =>
    fc.tuple(address, fc.integer({ min: 0, max: width })).map(([bytes, bits]) => {
      const masked = bytes.map((value, i) => value & ~(0xff >> Math.min(8, Math.max(0, bits - i * 8))) & 0xff);
      return { text: `${textOf(masked)}/${bits}`, bytes: masked, bits };
    });
  // few different bytes, so that prefixes nest, touch and hit the addresses asked for
  const tight = (length: number) =>
    fc.array(fc.constantFrom(0, 1, 127, 128, 255), { minLength: length, maxLength: length });
  const mapped = (bytes: readonly number[]) =>
    bytes.length === 16 && bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
  const list = fc
    .array(fc.oneof(prefix(tight(4), 32), prefix(tight(16), 128)), { maxLength: 20 })
    .map((entries) => entries.filter(({ bytes }) => !mapped(bytes)));
  const property = fc.property(list, list, list, fc.oneof(tight(4), tight(16)), (allow, own, denied, address) => {
    const has = (entries: readonly OraclePrefix[]) => entries.some((entry) => hasPrefix(address, entry));
    const policy = new TargetPolicy({ allow: texts(allow), own: texts(own), denied: texts(denied) });
    const isAllowed = !has(denied) && (has(allow) || (mayBeProbed(address) && !has(own)));
    return (
      judged(address, policy) === (isAllowed ? 'allowed' : 'refused target') &&
      policy.isExempt(textOf(address)) === has(allow)
    );
  });
  fc.assert(property, { numRuns: rounds(2000) });
});

function texts(prefixes: readonly OraclePrefix[]): string[] {
  return prefixes.map(({ text }) => text);
}

t.test('names of private networks are refused where no private network is open', async (t) => {
  const open = new TargetPolicy({ allow: ['10.0.0.0/8'], own: [], denied: [] });
  const loopback = new TargetPolicy({ allow: ['127.0.0.0/8'], own: [], denied: [] });
  for (const name of [
    'dc1.corp',
    'NAS.Lan',
    'a.b.home',
    'wiki.intranet',
    'x.private',
    'corp.',
    'db.consul',
    'a.localdomain',
    'xn--e1afmkfd.xn--e1afmkfd',
  ]) {
    for (const policy of [empty, loopback])
      t.throws(() => policy.checkName(name), { message: /a name for local use|single label/ }, name);
  }
  for (const name of ['dc1.corp', 'nas.lan', 'db.consul']) t.doesNotThrow(() => open.checkName(name), name);
  for (const name of [
    'corp.example',
    'lan.example.com',
    'mycorp.com',
    'a.test',
    'b.xn--p1ai',
    '8.8.8.8.in-addr.arpa',
    'x.zip',
  ])
    t.doesNotThrow(() => empty.checkName(name), name);
});
