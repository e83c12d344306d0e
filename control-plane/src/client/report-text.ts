import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import { sectionReasons } from '@vantage/shared/diagnose/report.js';
import { alignedRows, textCell } from '@vantage/shared/probe-types/cells.js';
import type { ReportView, SectionView } from '../modules/diagnose/index.js';

/** A section for a terminal: its score or state, then a line for each finding. */
export function sectionText(name: SectionName, section: SectionView, { nodes }: Pick<ReportView, 'nodes'>): string {
  const { status, score, reason, findings } = section;
  const state = score === null ? `${status}${reason === null ? '' : `: ${sectionReasons[reason]}`}` : `${score}`;
  const rows = findings.map(({ severity, penalty, message, code, node_ids }) => [
    severity,
    penalty === 0 ? '' : `-${penalty}`,
    `${textCell(message)} (${code})`,
    node_ids.length === 0 || node_ids.length === nodes.length
      ? ''
      : node_ids.map((id) => placeText(id, nodes)).join('; '),
  ]);
  return [`${name}  ${state}`, ...alignedRows(rows, new Set([1])).map((row) => `  ${row}`)].join('\n');
}

/** End of a report for a terminal. */
export function endText({ overall_score: score, status, truncated, url }: ReportView, isShared: boolean): string {
  return [
    `overall  ${score ?? status}`,
    ...(truncated ? ['measurements were cut, because the report was too large'] : []),
    ...(isShared ? [textCell(url)] : []),
  ].join('\n');
}

function placeText(nodeId: string, nodes: ReportView['nodes']): string {
  const node = nodes.find(({ node_id }) => node_id === nodeId)?.node;
  const parts = [node?.city, node?.country, node?.asn === null || node?.asn === undefined ? null : `AS${node.asn}`];
  const known = parts.filter((part) => part !== null && part !== undefined);
  return known.length === 0 ? nodeId : textCell(known.join(', '));
}
