import type { FindingLanguage, FindingRule } from './finding-rule.js';
import { resolvingFindings, zoneFindings } from './findings/dns-findings.js';
import { headerFindings } from './findings/header-findings.js';
import { httpFindings } from './findings/http-findings.js';
import { pingFindings, tracerouteFindings } from './findings/path-findings.js';
import { sslSectionFindings } from './findings/ssl-findings.js';

/** Findings that each section of a report may have: the one closed list of codes, penalties and texts. */
export const findingTable = {
  http: httpFindings,
  ssl: sslSectionFindings,
  dns: { ...resolvingFindings, ...zoneFindings },
  security_headers: headerFindings,
  ping: pingFindings,
  traceroute: tracerouteFindings,
} as const;

/** Name of a section (API specification 2.7). */
export type SectionName = keyof typeof findingTable;

export const sectionNames = Object.keys(findingTable) as SectionName[];

export type CodeOf<S extends SectionName> = keyof (typeof findingTable)[S] & string;
export type FindingCode = { [S in SectionName]: CodeOf<S> }[SectionName];

const rules = new Map<string, FindingRule>(
  sectionNames.flatMap((section) => Object.entries<FindingRule>(findingTable[section])),
);

/** Every code, section by section, worst first. */
export const findingCodes = [...rules.keys()] as FindingCode[];

export function findingRule(code: FindingCode): FindingRule {
  const rule = rules.get(code);
  if (rule === undefined) throw new RangeError(`no finding "${code}"`);
  return rule;
}

export function findingText(code: FindingCode, language: FindingLanguage): string {
  return findingRule(code).texts[language];
}
