import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import {
  hasPrefix,
  lastOf,
  neighbourOf,
  type OraclePrefix,
  prefixOf,
  refusedIPv4Prefixes,
  refusedIPv6Prefixes,
} from './_support/oracle.js';
import { verdictOf } from './_support/verdict.js';
import { parseHost } from './host.js';
import { TargetPolicy } from './policy.js';

const empty = new TargetPolicy({ allow: [], own: [], denied: [] });

function judged(name: string, policy = empty): string {
  return verdictOf(() => policy.checkHost(parseHost(name)));
}

/** Judges a name as DNS may answer it: escapes and octets that no target has. */
function judgedAnswer(name: string, policy = empty): string {
  return verdictOf(() => policy.checkName(name));
}

t.test('the reverse name of a refused address or network is refused, however it is written', (t) => {
  const refused = [
    '5.0.0.10.in-addr.arpa',
    '10.in-addr.arpa',
    '0.10.in-addr.arpa',
    '0.0.10.in-addr.arpa.',
    '5.0.0.10.IN-ADDR.ARPA',
    '5.0.0.10.In-Addr.Arpa.',
    'b._dns-sd._udp.0.0.10.in-addr.arpa',
    'ns1.10.in-addr.arpa',
    '0-26.5.168.192.in-addr.arpa',
    '1.0-26.5.168.192.in-addr.arpa',
    '0_26.5.168.192.in-addr.arpa',
    '168.192.in-addr.arpa',
    '16.172.in-addr.arpa',
    '31.172.in-addr.arpa',
    '64.100.in-addr.arpa',
    '254.169.in-addr.arpa',
    '1.0.0.127.in-addr.arpa',
    '16.129.63.168.in-addr.arpa',
    '2.0.192.in-addr.arpa',
    '255.255.255.255.in-addr.arpa',
    'd.f.ip6.arpa',
    'D.F.IP6.ARPA.',
    'c.f.ip6.arpa',
    '8.e.f.ip6.arpa',
    '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.e.f.ip6.arpa',
    '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa',
    '8.b.d.0.1.0.0.2.ip6.arpa',
    'd.f.ip6.int',
  ];
  for (const name of refused) t.equal(judged(name), 'refused target', name);
  for (const name of ['0/26.5.168.192.in-addr.arpa', '\\053.0.0.10.in-addr.arpa', '5.0.0.\\049\\048.in-addr.arpa'])
    t.equal(judgedAnswer(name), 'refused target', name);
  t.end();
});

t.test('a reverse zone that contains refused addresses among others is refused', (t) => {
  const names = ['in-addr.arpa', '192.in-addr.arpa', '172.in-addr.arpa', '0.0.0.010.in-addr.arpa', 'x.in-addr.arpa'];
  for (const name of [...names, 'ip6.arpa', '2.ip6.arpa', 'f.ip6.arpa', 'g.ip6.arpa', '256.in-addr.arpa'])
    t.equal(judged(name), 'refused target', name);
  t.end();
});

t.test('the reverse name of a public address or network is allowed', (t) => {
  const allowed = [
    '34.216.184.93.in-addr.arpa',
    '8.in-addr.arpa',
    '8.8.in-addr.arpa',
    '0-26.216.184.93.in-addr.arpa',
    '32.172.in-addr.arpa',
    '8.8.8.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.6.8.4.0.6.8.4.1.0.0.2.ip6.arpa',
    '0.6.8.4.1.0.0.2.ip6.arpa',
    '10.in-addr.arpa.example.com',
    'my10.in-addr.example',
    'in-addr.arpa.example.com',
    'as112.arpa',
  ];
  for (const name of allowed) t.equal(judged(name), 'allowed', name);
  t.end();
});

t.test('names that ask a resolver about itself or its network are refused', (t) => {
  const names = ['_dns.resolver.arpa', 'resolver.arpa', 'id.server', 'version.server', 'hostname.bind', 'version.bind'];
  for (const name of [...names, 'ipv4only.arpa', 'home.arpa', 'x.home.arpa', 'printer.local', 'local'])
    t.equal(judged(name), 'refused target', name);
  for (const name of [
    '５.0.0.10.in-addr.arpa',
    '5.0.0.１0.in-addr.arpa',
    '5。0.0.10.in-addr.arpa',
    '5.0.0.10.in-addr．arpa',
  ])
    t.not(judged(name), 'allowed', name);
  t.end();
});

t.test('what the operator opens or denies is opened or denied by its reverse name too', (t) => {
  const open = new TargetPolicy({ allow: ['10.0.0.0/8', 'fd00::/8'], own: [], denied: [] });
  for (const name of [
    '5.0.0.10.in-addr.arpa',
    '10.in-addr.arpa',
    '0.10.in-addr.arpa',
    'd.f.ip6.arpa',
    '0.d.f.ip6.arpa',
  ])
    t.equal(judged(name, open), 'allowed', name);
  for (const name of ['168.192.in-addr.arpa', 'in-addr.arpa', 'c.f.ip6.arpa', 'f.ip6.arpa'])
    t.equal(judged(name, open), 'refused target', name);
  const part = new TargetPolicy({ allow: ['10.0.0.0/9', '10.128.0.0/9', '192.168.7.0/24'], own: [], denied: [] });
  t.equal(judged('10.in-addr.arpa', part), 'allowed', 'two halves are the whole');
  t.equal(judged('7.168.192.in-addr.arpa', part), 'allowed');
  t.equal(judged('168.192.in-addr.arpa', part), 'refused target', 'of which a part is opened');
  const denying = new TargetPolicy({
    allow: ['10.0.0.0/8'],
    own: ['93.184.216.34'],
    denied: ['10.9.0.0/16', '8.8.8.0/24'],
  });
  t.equal(judged('9.10.in-addr.arpa', denying), 'refused target', 'denied wins');
  t.equal(judged('1.9.10.in-addr.arpa', denying), 'refused target');
  t.equal(judged('8.8.8.in-addr.arpa', denying), 'refused target');
  t.equal(judged('34.216.184.93.in-addr.arpa', denying), 'refused target', 'an own address');
  t.equal(judged('93.in-addr.arpa', denying), 'allowed', 'whose zones would tell it by halves');
  t.end();
});

const refusedV6: readonly OraclePrefix[] = [
  ...refusedIPv6Prefixes,
  ...['::/3', '4000::/2', '8000::/1'].map((text) => prefixOf(text)),
];

/** True if the first `bits` of `bytes` and a refused prefix have an address in common. */
function overlapsRefused(bytes: readonly number[], bits: number): boolean {
  const refused = bytes.length === 4 ? refusedIPv4Prefixes : refusedV6;
  return refused.some((prefix) =>
    prefix.bits <= bits ? hasPrefix(bytes, prefix) : hasPrefix(prefix.bytes, { text: '', bytes, bits }),
  );
}

function reverseLabels(bytes: readonly number[]): string[] {
  if (bytes.length === 4) return bytes.map(String);
  return bytes.flatMap((byte) => [(byte >> 4).toString(16), (byte & 15).toString(16)]);
}

/** A refused prefix is as likely as any address, and its reverse zones as likely as its addresses. */
const addressBytes = fc
  .constantFrom(4, 16)
  .chain((length) =>
    fc.oneof(
      fc.array(fc.nat(255), { minLength: length, maxLength: length }),
      fc.constantFrom(...(length === 4 ? refusedIPv4Prefixes : refusedV6).map(({ bytes }) => [...bytes])),
    ),
  );

t.test(
  'a reverse name is judged by the addresses below it: full or cut, in any case, escaped, with preceding labels',
  (t) => {
    const extra = fc.constantFrom('', 'www.', '0/26.', '0-127.', '_tcp.x.', '999.', 'zz.');
    fc.assert(
      fc.property(addressBytes, fc.nat(32), extra, fc.infiniteStream(fc.nat(2)), (bytes, cut, before, styles) => {
        const labels = reverseLabels(bytes);
        const kept = labels.slice(0, Math.min(cut, labels.length));
        const bits = kept.length * (bytes.length === 4 ? 8 : 4);
        const zone = bytes.length === 4 ? 'in-addr.arpa' : 'ip6.arpa';
        const plain = `${before}${[...kept]
          .reverse()
          .map((label) => `${label}.`)
          .join('')}${zone}`;
        const spelled = [...plain].map((character) => spell(character, styles.next().value ?? 0)).join('');
        const isRefused = overlapsRefused(bytes, bits);
        return judgedAnswer(spelled) === (isRefused ? 'refused target' : 'allowed');
      }),
      { numRuns: rounds(3000) },
    );
    t.end();
  },
);

function spell(character: string, style: number): string {
  if (character === '.' || style === 0) return character;
  return style === 1 ? character.toUpperCase() : `\\${String(character.charCodeAt(0)).padStart(3, '0')}`;
}

t.test('the full reverse name of any address is judged as the address itself', (t) => {
  const policy = new TargetPolicy({
    allow: ['10.1.0.0/16', 'fd12::/16', '192.168.0.0/16'],
    own: ['93.184.216.34', '2a00::5', '10.1.0.7'],
    denied: ['8.8.0.0/16', '2600::/24', '192.168.9.0/24'],
  });
  const known = ['10.1.0.7', '93.184.216.34', '8.8.4.4', '192.168.9.1', '2a00::5', '2600::1', 'fd12::1', 'fd13::1'];
  const bytes = fc.oneof(addressBytes, fc.constantFrom(...known.map((text) => [...prefixOf(`${text}/0`).bytes])));
  fc.assert(
    fc.property(bytes, (address) => {
      // no reverse name leads to a mapped address: it is looked up as the IPv4 address it is
      fc.pre(address.length === 4 || address.slice(0, 12).join() !== '0,0,0,0,0,0,0,0,0,0,255,255');
      const zone = address.length === 4 ? 'in-addr.arpa' : 'ip6.arpa';
      const name = `${reverseLabels(address).reverse().join('.')}.${zone}`;
      const text = address.length === 4 ? address.join('.') : groupsOf(address);
      return judged(name, policy) === verdictOf(() => policy.checkAddress(text));
    }),
    { numRuns: rounds(3000) },
  );
  t.end();
});

t.test('a reverse zone is refused exactly when some address in it is, whatever the operator opens', (t) => {
  const v4 = fc.tuple(
    fc.constantFrom(...refusedIPv4Prefixes),
    fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }),
    fc.nat(24),
  );
  // around the edges of refused ranges: wider than one, the same, and inside
  const opened = v4.map(([{ bytes, bits }, random, width]) => {
    const kept = 8 + width;
    const mixed = bytes.map((byte, i) => (i * 8 < bits ? byte : (random[i] ?? 0)));
    return { bytes: cutTo(mixed, kept), bits: kept, text: '' };
  });
  fc.assert(
    fc.property(fc.array(opened, { maxLength: 6 }), addressBytes, fc.nat(4), (allow, bytes, kept) => {
      fc.pre(bytes.length === 4);
      const zone = { bytes: cutTo(bytes, kept * 8), bits: kept * 8, text: '' };
      const policy = new TargetPolicy({
        allow: allow.map((prefix) => `${prefix.bytes.join('.')}/${prefix.bits}`),
        own: [],
        denied: [],
      });
      const edges = [zone, ...allow, ...refusedIPv4Prefixes].flatMap((prefix) => {
        const [first, last] = [[...prefix.bytes], lastOf(prefix)];
        return [first, last, neighbourOf(first, -1), neighbourOf(last, 1)];
      });
      const inside = edges.filter((address) => address !== null).filter((address) => hasPrefix(address, zone));
      const isRefused = inside.some((address) => verdictOf(() => policy.checkAddress(address.join('.'))) !== 'allowed');
      const labels = zone.bytes
        .slice(0, kept)
        .reverse()
        .map((byte) => `${byte}.`);
      return judged(`${labels.join('')}in-addr.arpa`, policy) === (isRefused ? 'refused target' : 'allowed');
    }),
    { numRuns: rounds(2000) },
  );
  t.end();
});

function cutTo(bytes: readonly number[], bits: number): number[] {
  return bytes.map((byte, i) => byte & (0xff << Math.min(8, Math.max(0, 8 - (bits - i * 8)))) & 0xff);
}

function groupsOf(bytes: readonly number[]): string {
  return Array.from({ length: 8 }, (_, i) => (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16)).join(
    ':',
  );
}
