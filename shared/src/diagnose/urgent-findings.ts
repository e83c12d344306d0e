import { severities } from './finding-rule.js';
import { type SectionName, sectionNames } from './finding-table.js';
import { type Finding, sectionWeights } from './score.js';

/** Findings that a report names first, at most. */
const MAX_URGENT = 3;

/** A finding that a report names first, and its section. */
export interface UrgentFinding<F> {
  readonly section: SectionName;
  readonly finding: F;
}

/** Findings that matter most: the most severe ones, and of these the ones that cost the overall score most. */
export function urgentFindings<F extends Pick<Finding, 'severity' | 'penalty'>>(
  sections: Readonly<Partial<Record<SectionName, { readonly findings: readonly F[] }>>>,
): UrgentFinding<F>[] {
  const rank = ({ finding }: UrgentFinding<F>) => severities.indexOf(finding.severity);
  const cost = ({ section, finding }: UrgentFinding<F>) => finding.penalty * sectionWeights[section];
  return sectionNames
    .flatMap((section) => (sections[section]?.findings ?? []).map((finding) => ({ section, finding })))
    .filter(({ finding }) => finding.penalty > 0)
    .sort((a, b) => rank(a) - rank(b) || cost(b) - cost(a))
    .slice(0, MAX_URGENT);
}
