import {
  type Host,
  linkAddresses,
  linksOf,
  nowhere,
  type Service,
  serviceAddresses,
  services,
} from '../../topology.js';
import { faultyDelegations } from './faulty-zones.js';
import type { Zone } from './zone.js';

// The whole name space of the lab. Root, test and lab.test are signed, each by its own server; a comment marks each
// broken zone.

/** DS record data of the signed children, by their name. */
export type DelegationSigners = Readonly<Record<'lab.test.' | 'bogus.test.' | 'test.', string>>;

/** The root: the top of the tree, and delegations of the reverse names. */
export function rootZone(ds: DelegationSigners): Zone {
  return zone('.', 'a.root.', [
    ...addresses('a.root.', 'root'),
    ...delegation('test.', 'ns.nic.test.', 'tld'),
    `test. DS ${ds['test.']}`,
    ...reverseZones().map(({ origin }) => `${origin} NS ns1.lab.test.`),
  ]);
}

/** The one top-level domain. */
export function testZone(ds: DelegationSigners): Zone {
  return zone('test.', 'ns.nic.test.', [
    ...addresses('ns.nic.test.', 'tld'),
    ...delegation('lab.test.', 'ns1.lab.test.', 'zone'),
    `lab.test. DS ${ds['lab.test.']}`,
    // the zone is signed by another key than its parent states: a validating resolver responds with SERVFAIL
    'bogus.test. NS ns1.lab.test.',
    `bogus.test. DS ${ds['bogus.test.']}`,
    'insecure.test. NS ns1.lab.test.',
    // responses that no honest server sends
    ...delegation('hostile.test.', 'ns.hostile.test.', 'hostile'),
    // its server does not serve it
    ...delegation('lame.test.', 'ns.lame.test.', 'zone'),
    // its server is silent
    'dead.test. NS ns.dead.test.',
    `ns.dead.test. A ${nowhere.silent.v4.replace('0/24', '53')}`,
    // a zone for each finding of the zone audit
    ...faultyDelegations(),
    'cname-at-apex.test. NS ns.hostile.test.',
  ]);
}

/** The zones of the zone server. */
export function leafZones(): Zone[] {
  const small = (origin: string) =>
    zone(origin, 'ns1.lab.test.', [...addresses(`www.${origin}`, 'web'), ...addresses(origin, 'web')]);
  return [labZone(), small('bogus.test.'), small('insecure.test.'), ...reverseZones()];
}

function labZone(): Zone {
  const hostNames = Object.entries(addressesByHost()).flatMap(([host, ends]) =>
    ends.slice(0, 1).flatMap(({ v4, v6 }) => [`${host} A ${v4}`, `${host} AAAA ${v6}`]),
  );
  return zone('lab.test.', 'ns1.lab.test.', [
    ...addresses('@', 'web'),
    ...addresses('ns1', 'zone'),
    `ns2 A ${linkAddresses(4, 'right').v4}`,
    `ns2 AAAA ${linkAddresses(4, 'right').v6}`,
    ...addresses('ns3', 'second'),
    // nothing has this address
    `ns4 A ${nowhere.unreachable.v4.replace('0/24', '99')}`,
    ...['www', 'other', 'slow', 'expired', 'future', 'self-signed', 'wrong-name'].flatMap((name) =>
      addresses(name, 'web'),
    ),
    ...(['legacy', 'tls12', 'tls13', 'mail', 'time', 'resolver', 'hostile'] as const).flatMap((name) =>
      addresses(name, name),
    ),
    ...recordsOfEveryType(),
    ...hostNames,
  ]);
}

function recordsOfEveryType(): string[] {
  const { v4, v6 } = serviceAddresses('web');
  return [
    'alias CNAME www',
    ...Array.from({ length: 8 }, (_, index) => `chain${index + 1} CNAME ${index === 7 ? 'www' : `chain${index + 2}`}`),
    'chain9 CNAME chain1',
    'loop CNAME loop2',
    'loop2 CNAME loop',
    'dangling CNAME nobody',
    `v4 A ${v4}`,
    `v6 AAAA ${v6}`,
    '@ MX 10 mail',
    '@ MX 20 mail.insecure.test.',
    '@ TXT "v=spf1 mx -all"',
    'txt TXT "first half, " "second half" ',
    'txt TXT "a \\"quote\\", a \\\\ and \\195\\164"',
    `long TXT "${'x'.repeat(255)}" "${'y'.repeat(45)}"`,
    '@ CAA 0 issue "ca.lab.test; policy=ev"',
    '@ CAA 128 iodef "mailto:hostmaster@lab.test"',
    '_sip._tcp SRV 10 60 5060 mail',
    `www HTTPS 1 . alpn=h2,http/1.1 ipv4hint=${v4} ipv6hint=${v6}`,
    '_dns.resolver SVCB 1 resolver alpn=dot port=853',
    '_dns.resolver SVCB 2 resolver alpn=h2 key7="/dns-query{?dns}"',
    'many.wild A 25.80.20.1',
    '*.wild A 25.80.20.2',
    'below.empty A 25.80.20.3',
    // neither fits into a UDP response
    ...Array.from({ length: 40 }, (_, index) => `large TXT "${String(index).padStart(2, '0')} ${'z'.repeat(90)}"`),
    ...Array.from({ length: 200 }, (_, index) => `many A 25.80.21.${index + 1}`),
    'sub NS ns1.sub',
    `ns1.sub A ${serviceAddresses('tld').v4}`,
  ];
}

/** Names of the machines and services: 80.25.in-addr.arpa and its IPv6 counterpart, unsigned. */
function reverseZones(): Zone[] {
  const named = [
    ...Object.entries(addressesByHost()).flatMap(([host, ends]) => ends.map((end) => ({ ...end, name: host }))),
    ...Object.keys(services).map((service) => ({ ...serviceAddresses(service as Service), name: nameOf(service) })),
  ];
  const v4 = named.map(({ v4: address, name }) => `${reverseName(address)} PTR ${name}.lab.test.`);
  const v6 = named.map(({ v6: address, name }) => `${reverseName(address)} PTR ${name}.lab.test.`);
  return [zone('80.25.in-addr.arpa.', 'ns1.lab.test.', v4), zone('0.8.0.0.0.0.d.2.ip6.arpa.', 'ns1.lab.test.', v6)];
}

function nameOf(service: string): string {
  return { web: 'www', zone: 'ns1', second: 'ns3' }[service] ?? service;
}

/** `25.80.1.2` -> `2.1.80.25.in-addr.arpa.`; of IPv6 the lab's form with three groups and a double colon. */
function reverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa.`;
  const [front = '', back = ''] = address.split('::');
  const digits = (text: string, groups: number) =>
    Array.from({ length: groups }, (_, index) => (text.split(':')[index] ?? '').padStart(4, '0')).join('');
  const nibbles = digits(front, 4) + back.padStart(16, '0');
  return `${[...nibbles].reverse().join('.')}.ip6.arpa.`;
}

function addressesByHost(): Partial<Record<Host, { v4: string; v6: string }[]>> {
  const all: Partial<Record<Host, { v4: string; v6: string }[]>> = {};
  for (const { number, left, right } of linksOf(true)) {
    all[left] = [...(all[left] ?? []), linkAddresses(number, 'left')];
    all[right] = [...(all[right] ?? []), linkAddresses(number, 'right')];
  }
  return all;
}

function zone(origin: string, server: string, records: readonly string[]): Zone {
  const head = [`$ORIGIN ${origin}`, '$TTL 300', `@ SOA ${server} hostmaster.lab.test. 1 3600 600 86400 60`];
  return { origin, text: [...head, `@ NS ${server}`, ...records, ''].join('\n') };
}

function delegation(child: string, server: string, service: Service): string[] {
  return [`${child} NS ${server}`, ...addresses(server, service)];
}

function addresses(name: string, service: Service): string[] {
  const { v4, v6 } = serviceAddresses(service);
  return [`${name} A ${v4}`, `${name} AAAA ${v6}`];
}
