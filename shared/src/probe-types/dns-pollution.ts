import { type IpAddress, parseAddress } from '../target-policy/address.js';
import { AddressRanges, type Cidr, parseCidr } from '../target-policy/address-ranges.js';
import { refusedIPv4, refusedIPv6 } from '../target-policy/refused-ranges.js';
import type { AsnOf } from './definition.js';

/** What one node was told, as far as it matters here. */
export interface NodeAnswer {
  /** Null when nothing answered. */
  readonly rcode: string | null;
  readonly records: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  readonly transport: string;
  readonly query_ms: number | null;
  readonly resolver_rtt_ms: number | null;
  readonly contradictions: number;
}

const reservedRanges = new AddressRanges(
  [...refusedIPv4, ...refusedIPv6].map(({ cidr }) => parseCidr(cidr)).filter((cidr): cidr is Cidr => cidr !== null),
);
/** What the round-trip time of one handshake is off by at most, on a path that is calm and a node that is not busy. */
const TIMING_SLACK_MS = 5;
/** Types whose answers depend on where one asks from for reasons of their own: only their absence is compared. */
const incomparableTypes = new Set(['ANY', 'CNAME']);

/**
 * Whether what the nodes were told cannot all be the work of the zone's owner: nodes disagree in more than what
 * legitimately differs, an answer has a reserved address, came in less than half the resolver's round-trip time, or was
 * followed by another answer that says something else.
 */
export function isPolluted(type: string, answers: readonly NodeAnswer[], asnOf: AsnOf): boolean {
  const told = answers.filter(({ rcode }) => rcode === 'NOERROR' || rcode === 'NXDOMAIN');
  return (
    told.some((answer) => hasReservedAddress(answer) || isTooEarly(answer) || answer.contradictions > 0) ||
    disagree(type, told, asnOf)
  );
}

/** An address that nobody on the public internet has. */
export function hasReservedAddress({ records }: NodeAnswer): boolean {
  return records
    .filter(isAddressRecord)
    .map(({ value }) => parseAddress(value))
    .some((address: IpAddress | null) => address !== null && reservedRanges.has(address));
}

/** Faster than the way to the resolver and back allows, twice over. Only a datagram can be. */
export function isTooEarly({
  transport,
  query_ms: queryMs,
  resolver_rtt_ms: rttMs,
}: Pick<NodeAnswer, 'transport' | 'query_ms' | 'resolver_rtt_ms'>): boolean {
  if (transport !== 'udp' || queryMs === null || rttMs === null) return false;
  return queryMs * 2 < rttMs && rttMs - queryMs > TIMING_SLACK_MS;
}

/** Order and time to live never count; see docs/probes.md for what else does not. */
function disagree(type: string, told: readonly NodeAnswer[], asnOf: AsnOf): boolean {
  const [first, ...others] = told.map((answer) => relevantValues(type, answer));
  if (first === undefined) return false;
  if (type === 'A' || type === 'AAAA') {
    const all = [first, ...others];
    return all.some((a, i) => all.slice(i + 1).some((b) => !agreeOnAddresses(a, b, asnOf)));
  }
  if (incomparableTypes.has(type)) return others.some((other) => (other.size === 0) !== (first.size === 0));
  return others.some((other) => !isSameSet(first, other));
}

/** Addresses of one network, or of one that is not known, may be those of a content delivery network. */
function agreeOnAddresses(a: ReadonlySet<string>, b: ReadonlySet<string>, asnOf: AsnOf): boolean {
  if (a.size === 0 || b.size === 0) return a.size === b.size;
  if ([...a].some((address) => b.has(address))) return true;
  const [asnsOfA, asnsOfB] = [[...a].map(asnOf), [...b].map(asnOf)];
  if (asnsOfA.includes(null) || asnsOfB.includes(null)) return true;
  return asnsOfA.some((asn) => asnsOfB.includes(asn));
}

function relevantValues(type: string, { records }: NodeAnswer): ReadonlySet<string> {
  const wanted = type === 'ANY' ? records : records.filter((record) => record.type === type);
  return new Set(wanted.map(({ value }) => withoutWhatVaries(type, value)));
}

/** A serial is behind while a zone is transferred; hints and ECH keys of HTTPS records are chosen per place and hour. */
function withoutWhatVaries(type: string, value: string): string {
  if (type === 'SOA') return value.split(' ').toSpliced(2, 1).join(' ').toLowerCase();
  if (type === 'HTTPS' || type === 'SVCB') return value.replace(/ (?:ipv4hint|ipv6hint|ech)=\S+/g, '');
  return ['NS', 'PTR', 'MX', 'SRV'].includes(type) ? value.toLowerCase() : value;
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((value) => b.has(value));
}

function isAddressRecord({ type }: { readonly type: string }): boolean {
  return type === 'A' || type === 'AAAA';
}
