import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { LookupKind } from 'vantage-control/modules/lookups/index.js';

/** Kinds of questions that the demo asks. */
export type ShownKind = LookupKind | 'reputation' | 'domain-combo';

/** Age of an answer: `meta.cache` of the API. */
export interface Cache {
  readonly hit: boolean;
  readonly age_sec: number;
}

interface Named {
  readonly name: string;
  readonly built_at: string;
}

/** Parts of the answers that are shown, as the stand-ins of the demo fill them; a new kind does not compile without its text. */
interface Answers extends Record<ShownKind, object> {
  readonly ip: {
    readonly city: string;
    readonly country_name: string;
    readonly asn: number;
    readonly org: string;
    readonly sources: readonly Named[];
  };
  readonly whois: {
    readonly expires_at: string;
    readonly registrar: string;
    /** Null for a domain. */
    readonly network: {
      readonly name: string;
      readonly cidrs: readonly string[];
      readonly organization: string;
    } | null;
    readonly source: { readonly protocol: string; readonly server: string };
  };
  readonly ssl: { readonly grade: string; readonly grade_ignoring_trust: string; readonly protocol: string };
  readonly dns: {
    readonly records: readonly { readonly type: string; readonly value: string }[];
    readonly node: { readonly country: string; readonly asn: number };
  };
  readonly icp: { readonly icp_number: string; readonly company: string; readonly source: string };
  readonly headers: { readonly grade: string; readonly findings: readonly { readonly code: string }[] };
  readonly reputation: {
    readonly score: number;
    readonly risk_level: string;
    readonly evidence: readonly { readonly signal: string; readonly weight: number }[];
    readonly sources: readonly Named[];
  };
  readonly 'domain-combo': { readonly total: number; readonly sample: readonly string[] };
}

/** A question of one kind with its answer. */
export interface Answered<K extends ShownKind = ShownKind> {
  readonly kind: K;
  /** The question in the words of people. */
  readonly question: string;
  /** Answer of the API. */
  readonly data: Answers[K];
  /** Age of the answer; null where nothing is kept, because the control plane computes it. */
  readonly cache: Cache | null;
  /** The same of the question asked again. */
  readonly cache_again: Cache | null;
}

/** The heart of an answer, and who gave it. */
type Text<K extends ShownKind> = (data: Answers[K]) => readonly [heart: string, source: string];

const texts: { readonly [K in ShownKind]: Text<K> } = {
  ip: ({ city, country_name, asn, org, sources }) => [
    `${city}, ${country_name}; AS${asn} ${org}`,
    `databases ${datedList(sources)}`,
  ],
  whois: ({ network, expires_at, registrar, source }) => [
    network === null
      ? `registered until ${dayOf(expires_at)} with ${registrar}`
      : `${network.name}, ${network.cidrs.join(', ')}, ${network.organization}`,
    `${source.protocol.toUpperCase()} server ${source.server}`,
  ],
  ssl: ({ grade, grade_ignoring_trust, protocol }) => [
    `grade ${grade}, ${grade_ignoring_trust} if it were trusted; ${protocol}`,
    'handshakes of a node',
  ],
  dns: ({ records, node }) => [
    firstOf(records.map(({ type, value }) => `${type} ${value}`)),
    `resolver of a node in ${node.country}, AS${node.asn}`,
  ],
  icp: ({ icp_number, company, source }) => [`${icp_number}, ${company}`, `source ${source}`],
  headers: ({ grade, findings }) => [
    `grade ${grade}; ${firstOf(findings.map(({ code }) => code))}`,
    'request of a node',
  ],
  reputation: ({ score, risk_level, evidence, sources }) => [
    `${score} of 100, ${risk_level} risk: ${evidence.map(({ signal, weight }) => `${signal} ${weight}`).join(' + ')}`,
    `lists ${datedList(sources)}`,
  ],
  'domain-combo': ({ total, sample }) => [firstOf(sample, total), 'computed by the control plane'],
};

/** An answer as two lines for a terminal of 80 columns, indented by two more. */
export function lookupText<K extends ShownKind>({ kind, question, data, cache, cache_again }: Answered<K>): string {
  const [heart, source] = texts[kind](data);
  const ages = [cache === null ? '' : `; ${ageOf(cache)}`, cache_again === null ? '' : `, then ${ageOf(cache_again)}`];
  return `${textCell(`${kind} of ${question}: ${heart}`)}\n    ${textCell(source)}${ages.join('')}`;
}

function ageOf({ hit, age_sec: seconds }: Cache): string {
  return hit ? `from memory, ${seconds} s old` : 'asked just now';
}

/** The first two, and the number of the others. */
function firstOf(all: readonly string[], total = all.length): string {
  const more = total - 2;
  return `${all.slice(0, 2).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function datedList(sources: readonly Named[]): string {
  return sources.map(({ name, built_at }) => `${name} of ${dayOf(built_at)}`).join(', ');
}

function dayOf(at: string): string {
  return at.slice(0, 10);
}
