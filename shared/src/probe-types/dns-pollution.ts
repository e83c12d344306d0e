import { parseAddress } from '../target-policy/address.js';
import { AddressRanges, type Cidr, parseCidr } from '../target-policy/address-ranges.js';
import { refusedIPv4, refusedIPv6 } from '../target-policy/refused-ranges.js';
import type { AsnOf } from './definition.js';

/** Members of one node's DNS response that matter for pollution. */
export interface NodeAnswer {
  /** Null without a response. */
  readonly rcode: string | null;
  readonly records: readonly { readonly name: string; readonly type: string; readonly value: string }[];
  readonly transport: string;
  readonly query_ms: number | null;
  readonly resolver_rtt_ms: number | null;
  readonly contradictions: number;
  /** The node's own word, which counts where it hides the address; absent: of a node that hides none. */
  readonly reserved_address?: boolean;
}

const reservedRanges = new AddressRanges(
  [...refusedIPv4, ...refusedIPv6].map(({ cidr }) => parseCidr(cidr)).filter((cidr): cidr is Cidr => cidr !== null),
);
/** Greatest error of one handshake's round-trip time, on a calm path and with a node that is not busy. */
const TIMING_SLACK_MS = 5;
/** Addresses of one response whose networks are looked up: only a hostile one has more. */
const MAX_PLACED = 100;
/** Types whose answers depend on where one asks from for reasons of their own: only their absence is compared. */
const incomparableTypes = new Set(['ANY', 'CNAME']);

/**
 * True if the responses cannot all come from the zone's owner: nodes disagree in more than what legitimately differs,
 * or a response has a reserved address, came in less than half the resolver's round-trip time, or was followed by a
 * contradicting one.
 */
export function isPolluted(type: string, answers: readonly NodeAnswer[], asnOf: AsnOf): boolean {
  const settled = answers.filter(({ rcode }) => rcode === 'NOERROR' || rcode === 'NXDOMAIN');
  return (
    settled.some((answer) => hasReservedAddress(answer) || isTooEarly(answer) || answer.contradictions > 0) ||
    disagree(type, settled, asnOf)
  );
}

/** True for an address that is not public; hidden values are not addresses. */
export function isReservedAddress(text: string): boolean {
  const address = parseAddress(text);
  return address !== null && reservedRanges.has(address);
}

/** True if a response has a reserved address, shown or hidden. */
function hasReservedAddress({ records, reserved_address: isReserved = false }: NodeAnswer): boolean {
  return isReserved || records.filter(isAddressRecord).some(({ value }) => isReservedAddress(value));
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
function disagree(type: string, settled: readonly NodeAnswer[], asnOf: AsnOf): boolean {
  const [first, ...others] = settled.map((answer) => relevantValues(type, answer));
  if (first === undefined) return false;
  if (type === 'A' || type === 'AAAA') {
    const all = [first, ...others].map((addresses) => ({ addresses, networks: networksOf(addresses, asnOf) }));
    return all.some((a, i) => all.slice(i + 1).some((b) => !agreeOnAddresses(a, b)));
  }
  if (incomparableTypes.has(type)) return others.some((other) => (other.size === 0) !== (first.size === 0));
  return others.some((other) => !isSameSet(first, other));
}

/** The answer that a node was given, and the networks it is in. */
interface GivenAddresses {
  readonly addresses: ReadonlySet<string>;
  /** Networks of the addresses; null stands for an unknown one. */
  readonly networks: ReadonlySet<number | null>;
}

/** Addresses of one network, or of one that is not known, may be those of a content delivery network; the same ones are. */
function agreeOnAddresses(a: GivenAddresses, b: GivenAddresses): boolean {
  if (a.addresses.size === 0 || b.addresses.size === 0) return a.addresses.size === b.addresses.size;
  return a.networks.has(null) || b.networks.has(null) || haveCommon(a.networks, b.networks);
}

/** Looked up once for an answer: every two are compared, and servers choose how long they are. */
function networksOf(addresses: ReadonlySet<string>, asnOf: AsnOf): ReadonlySet<number | null> {
  return addresses.size > MAX_PLACED ? new Set([null]) : new Set([...addresses].map(asnOf));
}

function haveCommon<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  for (const one of a) if (b.has(one)) return true;
  return false;
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
