import type { Test } from 'tap';
import type { ProbeResults } from '../../probe-types/index.js';
import { findingRule, type SectionName } from '../finding-table.js';
import { buildReport, type DiagnoseInput } from '../report.js';
import type { Finding } from '../score.js';
import { blankInput } from './blank-input.js';

/** The node of a report that has one. */
const NODE_ID = 'n1';

/** Results of a server that has one fault, as the only node of a report has them. */
export type FindingCase = (t: Test) => Promise<Partial<DiagnoseInput>>;

export function byNode<T extends keyof ProbeResults>(result: ProbeResults[T]) {
  return [{ nodeId: NODE_ID, result }];
}

/** Findings of a section in the report that these results make. @throws Error if the section is not completed */
export function findingsIn(section: SectionName, results: Partial<DiagnoseInput>): readonly Finding[] {
  const report = buildReport(blankInput({ scope: new Set([section]), nodeIds: [NODE_ID], isOver: true, ...results }))
    .sections[section];
  if (report?.status !== 'completed') throw new Error(`section ${section}: ${report?.status} ${report?.reason}`);
  return report.findings;
}

/** Checks that the report has the finding, at the whole price of its table. */
export async function checkFinding(
  t: Test,
  [section, code]: readonly [SectionName, Finding['code']],
  findCase: FindingCase,
): Promise<void> {
  const findings = findingsIn(section, await findCase(t));
  const found = findings.find((finding) => finding.code === code);
  const { severity, penalty } = findingRule(code);
  const codes = findings.map((finding) => finding.code).join(', ');
  t.strictSame(found, { code, severity, penalty, node_ids: [NODE_ID] }, `${code} among ${codes}`);
}
