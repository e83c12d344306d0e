import type { IpAddress } from '@vantage/shared/target-policy/address.js';
import {
  type AddressType,
  addressTypes,
  type ListSignal,
  listSignals,
  type RiskLevel,
  riskLevelOf,
  type Signal,
  signals,
  weigh,
} from './signals.js';

/** Entries of a list, asked for an address. */
export interface Entries {
  /** The entry that contains the address, as text: a CIDR or an AS number; null if there is none. */
  find(address: IpAddress, asn: number | null): string | null;
}

/** A list as it is in memory. */
export interface ReputationList {
  readonly name: string;
  readonly signal: ListSignal;
  readonly entries: Entries;
  /** When this version was fetched or written, in milliseconds since the epoch. */
  readonly builtMs: number;
  /** Age at which it no longer counts, in seconds. */
  readonly maxAgeS: number;
}

/** A listing by DNS that the operator counts as a signal. */
export interface DnsListing {
  readonly zone: string;
  readonly code: string;
  readonly signal: Signal;
}

export interface JudgeInput {
  readonly address: IpAddress;
  /** Network of the address; null if unknown. */
  readonly asn: number | null;
  readonly lists: readonly ReputationList[];
  readonly listings: readonly DnsListing[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

export interface Evidence {
  readonly signal: Signal;
  readonly description: string;
  readonly weight: number;
}

/** Judgment of one address (API specification 2.7). */
export interface Reputation {
  /** 0 to 100, higher is more suspicious: the sum of the weights of `evidence`, at most 100. */
  readonly score: number;
  readonly risk_level: RiskLevel;
  readonly types: readonly AddressType[];
  readonly evidence: readonly Evidence[];
  /** Signals for which a current list exists. */
  readonly coverage: readonly Signal[];
  /** Signals without a current list where nothing was found: the address is unknown, not clean. Else empty. */
  readonly unknown: readonly Signal[];
}

/** Matches that one description names; further ones are counted. */
const MAX_NAMED = 3;
const typeOf: Partial<Record<Signal, AddressType>> = {
  tor_exit: 'tor',
  vpn: 'vpn',
  proxy: 'proxy',
  hosting: 'hosting',
};

/** Judges an address by the current lists and listings; the order of either plays no part. */
export function judgeReputation({ address, asn, lists, listings, nowMs }: JudgeInput): Reputation {
  let covered = 0;
  const found = new Map<ListSignal, string[]>();
  const add = (signal: ListSignal, text: string) => {
    const texts = found.get(signal);
    if (texts === undefined) found.set(signal, [text]);
    else texts.push(text);
  };
  for (const list of lists) {
    if (!isCurrent(list, nowMs)) continue;
    covered |= bitOf[list.signal];
    const entry = list.entries.find(address, asn);
    if (entry !== null) add(list.signal, `${calledOf(list)}: ${entry}`);
  }
  for (const { zone, code, signal } of listings) add(signal, `DNS blocklist ${zone}: ${code}`);
  const { coverage, unknown } = coverageOf(covered);
  // most addresses are in no list
  if (found.size === 0) return { score: 0, risk_level: riskLevelOf(0), types: [], evidence: [], coverage, unknown };
  const weights = weigh(new Set(signals.filter((signal) => found.has(signal))));
  const evidence = [...weights].map(([signal, weight]) => ({
    signal,
    description: describe(found.get(signal) ?? []),
    weight,
  }));
  const score = Math.min(
    100,
    evidence.reduce((sum, { weight }) => sum + weight, 0),
  );
  return {
    score,
    risk_level: riskLevelOf(score),
    types: typesOf(weights, found.has('residential')),
    evidence,
    coverage,
    unknown: evidence.length === 0 ? unknown : [],
  };
}

interface Coverage {
  readonly coverage: readonly Signal[];
  readonly unknown: readonly Signal[];
}

const bitOf = Object.fromEntries(listSignals.map((signal, i) => [signal, 1 << i])) as Readonly<
  Record<ListSignal, number>
>;
const coverages = new Map<number, Coverage>();

/** Signals with and without a current list, by the bits of those with one: made once, because every judgment has them. */
function coverageOf(bits: number): Coverage {
  const known = coverages.get(bits);
  if (known !== undefined) return known;
  const isCovered = (signal: Signal) => (bits & bitOf[signal]) !== 0;
  const made = { coverage: signals.filter(isCovered), unknown: signals.filter((signal) => !isCovered(signal)) };
  coverages.set(bits, made);
  return made;
}

/** True if a list is young enough to count. */
export function isCurrent({ builtMs, maxAgeS }: Pick<ReputationList, 'builtMs' | 'maxAgeS'>, nowMs: number): boolean {
  return nowMs - builtMs <= maxAgeS * 1000;
}

/** The judgment of a domain is that of its worst address; of equals the first. Null without addresses. */
export function worstOf<T extends { readonly score: number }>(judgments: readonly T[]): T | null {
  return judgments.reduce<T | null>((worst, one) => (worst === null || one.score > worst.score ? one : worst), null);
}

/** Residential is said only where nothing else is. */
function typesOf(weights: ReadonlyMap<Signal, number>, isResidential: boolean): AddressType[] {
  const types = new Set([...weights.keys()].map((signal) => typeOf[signal]));
  if (weights.size === 0 && isResidential) types.add('residential');
  return addressTypes.filter((type) => types.has(type));
}

function describe(texts: readonly string[]): string {
  const sorted = [...texts].sort();
  const more = sorted.length - MAX_NAMED;
  return [...sorted.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

const called = new WeakMap<ReputationList, string>();

/** A list in a description. Formatting a date takes as long as judging an address. */
function calledOf(list: ReputationList): string {
  const known = called.get(list);
  if (known !== undefined) return known;
  const text = `list ${list.name} of ${new Date(list.builtMs).toISOString().slice(0, 10)}`;
  called.set(list, text);
  return text;
}
