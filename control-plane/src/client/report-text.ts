import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import { sectionReasons } from '@vantage/shared/diagnose/report.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { ReportView, SectionView } from '../modules/diagnose/index.js';
import { wrappedRows } from '../terminal/wrapped-rows.js';

/** A section for a terminal of a width: its score or state, then each finding, and the nodes that have it unless all do. */
export function sectionText(
  name: SectionName,
  section: SectionView,
  { nodes, width }: Pick<ReportView, 'nodes'> & { readonly width: number },
): string {
  const { status, score, reason, findings } = section;
  const state = score === null ? `${status}${reason === null ? '' : `: ${sectionReasons[reason]}`}` : `${score}`;
  const rows = findings.map(({ severity, penalty, message, code, node_ids }) => {
    const isOfAll = node_ids.length === 0 || node_ids.length === nodes.length;
    const places = isOfAll ? '' : ` from ${node_ids.map((id) => placeText(id, nodes)).join('; ')}`;
    return [severity, penalty === 0 ? '' : `-${penalty}`, `${textCell(message)} (${code})${places}`];
  });
  const lines = wrappedRows(rows, { width: width - 2, right: new Set([1]) }).map((row) => `  ${row}`);
  return [...wrappedRows([[name, state]], { width }), ...lines].join('\n');
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
