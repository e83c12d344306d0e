import { formatAddress, type IpAddress, parseAddress } from './address.js';
import { AddressRanges, type Cidr, cidrOf, isInside, parseCidr } from './address-ranges.js';
import type { Host } from './host.js';
import {
  checkPublicName,
  endsInNumber,
  isLocalName,
  isResolverName,
  parseName,
  plainName,
  privateSuffixOf,
} from './names.js';
import { privateNetworks, refusedIPv4, refusedIPv6 } from './refused-ranges.js';
import { findReversePrefix } from './reverse-names.js';
import { quoted, refused } from './target-error.js';

/** Lists that a deployment adds to the built-in rules. */
export interface PolicyLists {
  /** CIDRs in which every address rule but `denied` is off: VANTAGE_ALLOW_TARGETS. */
  readonly allow: readonly string[];
  /** Addresses of the machine that probes, its gateway and resolver, and of the control plane. */
  readonly own: readonly string[];
  /** CIDRs, and domain names that stand for all names below them too. */
  readonly denied: readonly string[];
}

const refusedEntries = [...refusedIPv4, ...refusedIPv6].map(({ cidr, what }) => ({
  cidr: requireCidr(cidr, 'refused'),
  text: cidr,
  what,
}));
const refusedRanges = new AddressRanges(refusedEntries.map(({ cidr }) => cidr));
const privateCidrs = privateNetworks.map((text) => requireCidr(text, 'private'));
const nothing = new AddressRanges([]);

/**
 * Decides which addresses and names a probe may touch. From strongest to weakest: `denied` refuses, `allow` permits,
 * the refused ranges and `own` refuse. Names are checked against `denied` only; the addresses that they resolve to
 * are judged as addresses, and so are the addresses that a reverse name is about.
 */
export class TargetPolicy {
  private readonly allowed: AddressRanges;
  private readonly own: AddressRanges;
  private readonly deniedRanges: AddressRanges;
  private readonly deniedNames: ReadonlySet<string>;

  /** @throws RangeError naming the entry that is no CIDR, address or name */
  constructor(readonly lists: PolicyLists) {
    const denied = splitDenied(lists.denied);
    this.allowed = new AddressRanges(lists.allow.map((entry) => requireCidr(entry, 'allow')));
    this.own = new AddressRanges(lists.own.map((entry) => requireCidr(entry, 'own')));
    this.deniedRanges = new AddressRanges(denied.cidrs);
    this.deniedNames = new Set(denied.names);
  }

  /** Judges an address in any unambiguous spelling; IPv4-mapped IPv6 as IPv4. @throws TargetError of kind `refused` */
  checkAddress(address: string, field = 'target'): void {
    const parsed = parseAddress(address);
    if (parsed === null) throw refused(field, `${quoted(address)} is not an address`);
    const reason = this.reasonToRefuse(cidrOf(parsed));
    if (reason !== null) throw refused(field, `the address ${formatAddress(parsed)} is not allowed: ${reason}`);
  }

  /** Judges a name that `parseHost` gave or that DNS answered (CNAME). @throws TargetError of kind `refused` */
  checkName(name: string, field = 'target'): void {
    let rest = plainName(name);
    checkPublicName(rest, field);
    const suffix = privateSuffixOf(rest);
    // such a name exists only in the network of the node
    if (suffix !== null && !this.opensPrivateNetwork())
      throw refused(field, `${quoted(name)} is a name for local use (${suffix})`);
    const reason = this.reasonToRefuseReverse(rest);
    if (reason !== null)
      throw refused(field, `${quoted(name)} is the reverse name of addresses that are not allowed: ${reason}`);
    while (!this.deniedNames.has(rest)) {
      const dot = rest.indexOf('.');
      if (dot < 0) return;
      rest = rest.slice(dot + 1);
    }
    throw refused(field, `${quoted(name)} is on the deny list`);
  }

  /** Judges either. @throws TargetError of kind `refused` */
  checkHost(host: Host, field = 'target'): void {
    if (host.kind === 'address') this.checkAddress(host.address, field);
    else this.checkName(host.name, field);
  }

  /** True if the address is inside `allow`: no address rule and no per-target budget applies to it. */
  isExempt(address: string): boolean {
    const parsed = parseAddress(address);
    return parsed !== null && this.allowed.has(parsed);
  }

  /** True if an address exists on a private network, or nowhere, and the operator has not opened its range. */
  isHiddenAddress(address: string): boolean {
    const parsed = parseAddress(address);
    return parsed !== null && refusedRanges.has(parsed) && !this.allowed.has(parsed);
  }

  /**
   * True if a name in a DNS response reveals a private network that the operator has not opened: the reverse name of
   * addresses in it, or, unless a private network is open, any name for local use; or if it reveals the resolver
   * itself. The root reveals nothing.
   */
  isHiddenName(name: string): boolean {
    const plain = plainName(name);
    const prefix = findReversePrefix(plain);
    if (prefix !== null) return refusedRanges.firstIn(prefix, this.allowed) !== null;
    if (plain === '') return false;
    if (isResolverName(plain)) return true;
    return isLocalName(plain) && !this.opensPrivateNetwork();
  }

  private opensPrivateNetwork(): boolean {
    return privateCidrs.some((cidr) => this.allowed.firstIn(cidr, nothing) !== null);
  }

  /** An own address counts only where nothing else is meant: by halves a wider prefix would give it away. */
  private reasonToRefuse(cidr: Cidr): string | null {
    if (this.deniedRanges.covers(cidr)) return 'it is on the deny list';
    const refusedAddress = refusedRanges.firstIn(cidr, this.allowed);
    if (refusedAddress !== null) return refusedReason(refusedAddress);
    return this.own.covers(cidr) && !this.allowed.covers(cidr) ? 'it belongs to this service' : null;
  }

  private reasonToRefuseReverse(name: string): string | null {
    const prefix = findReversePrefix(name);
    return prefix === null ? null : this.reasonToRefuse(prefix);
  }
}

/**
 * True if an address belongs to no host of the Internet: it is on a private network, on the node itself, or nowhere. A node reaches it
 * without a route to the Internet, where the operator has allowed it.
 */
export function isSpecialAddress(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && refusedRanges.has(parsed);
}

function refusedReason(address: IpAddress): string {
  const entry = refusedEntries.find(({ cidr }) => isInside(cidr, address));
  return `${entry?.text} is ${entry?.what}`;
}

function requireCidr(entry: string, list: string): Cidr {
  const cidr = parseCidr(entry);
  if (cidr === null) throw new RangeError(`${list} entry ${quoted(entry)} is not a CIDR or address`);
  return cidr;
}

function splitDenied(entries: readonly string[]): { cidrs: Cidr[]; names: string[] } {
  const cidrs: Cidr[] = [];
  const names: string[] = [];
  for (const entry of entries) {
    const cidr = parseCidr(entry);
    if (cidr !== null) cidrs.push(cidr);
    else names.push(requireDomain(entry));
  }
  return { cidrs, names };
}

function requireDomain(entry: string): string {
  const complaint = `denied entry ${quoted(entry)} is not a CIDR, address or domain name`;
  if (endsInNumber(entry)) throw new RangeError(complaint);
  try {
    return parseName(entry, 'denied');
  } catch (cause) {
    throw new RangeError(complaint, { cause });
  }
}
