import { formatAddress, type IpAddress, parseAddress } from './address.js';
import { AddressRanges, type Cidr, isInside, parseCidr } from './address-ranges.js';
import type { Host } from './host.js';
import { checkPublicName, endsInNumber, parseName } from './names.js';
import { refusedIPv4, refusedIPv6 } from './refused-ranges.js';
import { quoted, refused } from './target-error.js';

/** What a deployment adds to the rules that always hold. */
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

/**
 * Says which addresses and names a probe may touch. From strongest to weakest: `denied` refuses, `allow` permits,
 * the refused ranges and `own` refuse. Names know only `denied`; what they resolve to is judged as addresses.
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
    const reason = this.reasonToRefuse(parsed);
    if (reason !== null) throw refused(field, `the address ${formatAddress(parsed)} is not allowed: ${reason}`);
  }

  /** Judges a name that `parseHost` gave or that DNS answered (CNAME). @throws TargetError of kind `refused` */
  checkName(name: string, field = 'target'): void {
    let rest = name.toLowerCase().replace(/\.$/, '');
    checkPublicName(rest, field);
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

  /** Whether the address is inside `allow`: no address rule and no per-target budget holds for it. */
  isExempt(address: string): boolean {
    const parsed = parseAddress(address);
    return parsed !== null && this.allowed.has(parsed);
  }

  private reasonToRefuse(address: IpAddress): string | null {
    if (this.deniedRanges.has(address)) return 'it is on the deny list';
    if (this.allowed.has(address)) return null;
    if (refusedRanges.has(address)) return refusedReason(address);
    return this.own.has(address) ? 'it belongs to this service' : null;
  }
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
