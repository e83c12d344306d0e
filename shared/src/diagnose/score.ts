import type { Severity } from './finding-rule.js';
import { type FindingCode, findingCodes, findingRule, type SectionName } from './finding-table.js';

/** Weights of the sections in the overall score. */
export const sectionWeights: Readonly<Record<SectionName, number>> = {
  http: 30,
  ssl: 20,
  dns: 20,
  security_headers: 10,
  ping: 10,
  traceroute: 10,
};

/** Greatest overall score if no node got an HTTP response. */
export const MAX_WITHOUT_HTTP = 20;
/** Greatest overall score with a certificate that is graded T, M or F. */
export const MAX_WITH_BAD_CERTIFICATE = 40;

/** A finding of a section; the text is added for its reader. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Points that it takes from the score of the section. */
  readonly penalty: number;
  /** Nodes that saw it, sorted. */
  readonly node_ids: readonly string[];
}

/** Nodes by the code of what they saw. */
export type Sightings = ReadonlyMap<FindingCode, ReadonlySet<string>>;

/**
 * Findings in the order of the table. A fault that only some of the judged nodes see costs their share of its penalty,
 * rounded up: one node without a way to the server is not a server that is down.
 */
export function findingsOf(sightings: Sightings, judgedNodes: number): Finding[] {
  return findingCodes.flatMap((code) => {
    const nodes = sightings.get(code);
    if (nodes === undefined || nodes.size === 0) return [];
    const { severity, penalty } = findingRule(code);
    const share = Math.min(1, nodes.size / Math.max(1, judgedNodes));
    return [{ code, severity, penalty: Math.ceil(penalty * share), node_ids: [...nodes].sort() }];
  });
}

/** Findings of a question that one node answered, in the order of the table: its word is whole. `nodeId` is null if unknown. */
export function wholeFindingsOf(codes: readonly FindingCode[], nodeId: string | null): Finding[] {
  const seen = new Set(codes);
  return findingCodes
    .filter((code) => seen.has(code))
    .map((code) => ({ code, ...priceOf(code), node_ids: nodeId === null ? [] : [nodeId] }));
}

function priceOf(code: FindingCode): Pick<Finding, 'severity' | 'penalty'> {
  const { severity, penalty } = findingRule(code);
  return { severity, penalty };
}

/** Score of a section, 0 to 100. */
export function sectionScore(findings: readonly Pick<Finding, 'penalty'>[]): number {
  return Math.max(0, 100 - findings.reduce((sum, { penalty }) => sum + penalty, 0));
}

export interface OverallInput {
  /** Scores of the completed sections. */
  readonly scores: Readonly<Partial<Record<SectionName, number>>>;
  /** True if http was judged and no node got a response. */
  readonly isWithoutHttp: boolean;
  /** True if a node saw a certificate that is graded T, M or F. */
  readonly hasBadCertificate: boolean;
}

/** Weighted mean over the completed sections, with its caps; null without any. */
export function overallScore({ scores, isWithoutHttp, hasBadCertificate }: OverallInput): number | null {
  const counted = Object.entries(scores) as [SectionName, number][];
  const weight = counted.reduce((sum, [name]) => sum + sectionWeights[name], 0);
  if (weight === 0) return null;
  const mean = counted.reduce((sum, [name, score]) => sum + score * sectionWeights[name], 0) / weight;
  const caps = [...(isWithoutHttp ? [MAX_WITHOUT_HTTP] : []), ...(hasBadCertificate ? [MAX_WITH_BAD_CERTIFICATE] : [])];
  return Math.min(Math.round(mean), ...caps);
}
