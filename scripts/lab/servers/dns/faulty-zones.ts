import type { ZoneFindingCode } from '@vantage/shared/probe-types/zone-audit.js';
import { serviceAddresses } from '../../topology.js';
import type { Zone } from './zone.js';

// A zone below test. for each finding of the zone audit, and one without a finding:
//
//   test. ── sound.test ─────┬── ns1.lab.test   25.80.10.56, the server of lab.test
//         ├─ single-ns.test ─┤
//         └─ ...             └── ns2.lab.test   25.80.4.2, in another network; ns3 at 25.80.10.57 is the same server

/** A zone with a fault, as a change of the sound one. */
export interface FaultyZone {
  readonly origin: string;
  /** Findings that come with the fault. */
  readonly also: readonly ZoneFindingCode[];
  /** Name servers in the delegation; default: ns1 and ns2. Empty: another server of the lab has zone and delegation. */
  readonly parent?: readonly string[];
  /** Further records of the delegation, at their full names. */
  readonly delegation?: readonly string[];
  /** Name servers in the zone itself; default: those of the delegation. */
  readonly child?: readonly string[];
  /** Numbers of the SOA record at the first and at the second server. */
  readonly soa?: readonly [first: string, second: string];
  /** True if the second server does not have the zone. */
  readonly isMissingAtSecond?: boolean;
  /** Names of records that the zone lacks, and records that it has in addition. */
  readonly lacks?: keyof typeof soundRecords;
  readonly records?: readonly string[];
}

const SOUND_SOA = '7 14400 3600 1209600 3600';
const ODD_SOA = '7 600 600 1000 100000';
const servers = ['ns1.lab.test.', 'ns2.lab.test.'];

const soundRecords = {
  address: `@ A ${serviceAddresses('web').v4}`,
  mail: '@ MX 10 mail.lab.test.',
  spf: '@ TXT "v=spf1 mx -all"',
  dmarc: '_dmarc TXT "v=DMARC1; p=reject"',
  caa: '@ CAA 0 issue "ca.lab.test"',
};

const nameOf = (code: ZoneFindingCode) => `${code.replaceAll('_', '-')}.test`;
const faulty = (code: ZoneFindingCode, fault: Omit<Partial<FaultyZone>, 'origin'>): FaultyZone => ({
  origin: nameOf(code),
  also: [],
  ...fault,
});

/** The zone without a finding. */
export const soundZone: FaultyZone = { origin: 'sound.test', also: [] };

/** The zone with each fault. */
export const faultyZones: Readonly<Record<ZoneFindingCode, FaultyZone>> = {
  single_ns: faulty('single_ns', { parent: ['ns1.lab.test.'] }),
  ns_one_network: faulty('ns_one_network', { parent: ['ns1.lab.test.', 'ns3.lab.test.'] }),
  ns_lame: faulty('ns_lame', { isMissingAtSecond: true }),
  // nothing has the address of ns4
  ns_unreachable: faulty('ns_unreachable', { parent: [...servers, 'ns4.lab.test.'] }),
  parent_child_differ: faulty('parent_child_differ', { child: [...servers, 'ns3.lab.test.'] }),
  glue_missing: faulty('glue_missing', {
    parent: ['ns1.lab.test.', 'ns.glue-missing.test.'],
    records: ['ns A 25.80.4.2'],
  }),
  serials_differ: faulty('serials_differ', { soa: [SOUND_SOA, SOUND_SOA.replace('7 ', '6 ')] }),
  soa_timers: faulty('soa_timers', { soa: [ODD_SOA, ODD_SOA] }),
  // no name server of today loads such a zone: a server of the lab's own makes it up
  cname_at_apex: faulty('cname_at_apex', {
    parent: [],
    also: ['single_ns', 'soa_timers', 'no_caa', 'no_spf', 'no_dmarc'],
  }),
  mx_is_cname: faulty('mx_is_cname', { lacks: 'mail', records: ['@ MX 10 post', 'post CNAME mail.lab.test.'] }),
  mx_missing_address: faulty('mx_missing_address', { lacks: 'mail', records: ['@ MX 10 post'] }),
  // signed by another key than the parent has
  dnssec_bogus: { origin: 'bogus.test', parent: [], also: ['single_ns', 'soa_timers'] },
  ds_without_dnskey: faulty('ds_without_dnskey', {
    delegation: [`ds-without-dnskey.test. DS 4711 13 2 ${'0'.repeat(64)}`],
    also: ['dnssec_bogus'],
  }),
  no_caa: faulty('no_caa', { lacks: 'caa' }),
  no_spf: faulty('no_spf', { lacks: 'spf' }),
  several_spf: faulty('several_spf', { records: ['@ TXT "v=spf1 a -all"'] }),
  no_dmarc: faulty('no_dmarc', { lacks: 'dmarc' }),
  wildcard: faulty('wildcard', { records: [`* A ${serviceAddresses('web').v4}`] }),
};

const served = [soundZone, ...Object.values(faultyZones)].filter(({ parent }) => parent?.length !== 0);

/** Records of the zone test. that delegate them. */
export function faultyDelegations(): string[] {
  return served.flatMap(({ origin, parent = servers, delegation = [] }) => [
    ...parent.map((server) => `${origin}. NS ${server}`),
    ...delegation,
  ]);
}

/** The zones as one of their servers has them. */
export function faultyZonesAt(server: 'first' | 'second'): Zone[] {
  return served
    .filter(({ isMissingAtSecond = false }) => server === 'first' || !isMissingAtSecond)
    .map((zone) => ({ origin: `${zone.origin}.`, text: textOf(zone, server) }));
}

function textOf(zone: FaultyZone, server: 'first' | 'second'): string {
  const { origin, parent = servers, child = parent, soa = [SOUND_SOA, SOUND_SOA], lacks, records = [] } = zone;
  const numbers = soa[server === 'first' ? 0 : 1];
  const kept = Object.entries(soundRecords).filter(([name]) => name !== lacks);
  return [
    `$ORIGIN ${origin}.`,
    '$TTL 300',
    `@ SOA ns1.lab.test. hostmaster.lab.test. ${numbers}`,
    ...child.map((name) => `@ NS ${name}`),
    ...kept.map(([, record]) => record),
    ...records,
    '',
  ].join('\n');
}
