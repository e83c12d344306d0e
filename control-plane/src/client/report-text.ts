import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import { sectionReasons } from '@vantage/shared/diagnose/report.js';
import { urgentFindings } from '@vantage/shared/diagnose/urgent-findings.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { Paint, Tone } from '@vantage/shared/terminal/colours.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { wrappedRows } from '@vantage/shared/terminal/wrapped-rows.js';
import type { ReportView, SectionView } from '../modules/diagnose/index.js';
import { type NameOf, nodePlaces } from './node-places.js';

const severityTones: Readonly<Record<string, Tone>> = {
  critical: 'bad',
  warning: 'warning',
  notice: 'faint',
  good: 'good',
};

/** A section for a screen: its score or state, then each finding, and the nodes that have it unless all do. */
export function sectionText(
  name: SectionName,
  section: SectionView,
  {
    nodes,
    nameOf = () => null,
    screen,
  }: Pick<ReportView, 'nodes'> & { readonly nameOf?: NameOf; readonly screen: Screen },
): string {
  const { status, score, reason, findings } = section;
  const { paint, width } = screen;
  const placed = nodePlaces(nodes, nameOf);
  const state = score === null ? `${status}${reason === null ? '' : `: ${sectionReasons[reason]}`}` : `${score}`;
  const blocks = findings.map(({ severity, penalty, message, code, node_ids }) => {
    const isOfAll = node_ids.length === 0 || node_ids.length === nodes.length;
    const places = isOfAll ? '' : ` from ${node_ids.map((id) => placed.get(id) ?? textCell(id)).join('; ')}`;
    return [severity, penalty === 0 ? '' : `-${penalty}`, `${textCell(message)} (${code})${places}`];
  });
  const lines = wrappedRows(blocks, { width: width - 2, right: new Set([1]) });
  const margin = name.length + 2;
  const [first = '', ...more] = wrapText(textCell(state), width - margin).map((line) => paint(line, scoreTone(score)));
  return [
    `${paint(textCell(name), 'strong')}  ${first}`,
    ...more.map((line) => ' '.repeat(margin) + line),
    ...lines.map((line) => `  ${severityPainted(line, paint)}`),
  ].join('\n');
}

/** A line of a finding with its severity, the first word of it, coloured. */
function severityPainted(line: string, paint: Paint): string {
  const [word = ''] = /^\w+/.exec(line) ?? [];
  return paint(word, severityTones[word] ?? null) + line.slice(word.length);
}

function scoreTone(score: number | null): Tone | null {
  if (score === null) return 'warning';
  if (score >= 80) return 'good';
  return score >= 50 ? 'warning' : 'bad';
}

/**
 * End of a report for a screen, which is in sight when it has been printed: the findings that matter most with their remedies, and
 * the overall score.
 */
export function endText(
  report: ReportView,
  { isShared, screen }: { readonly isShared: boolean; readonly screen: Screen },
): string {
  const { overall_score: score, status, truncated, url } = report;
  const { paint } = screen;
  return [
    ...urgentLines(report, screen),
    `${paint('overall', 'strong')}  ${paint(textCell(score ?? status), scoreTone(score))}`,
    ...(truncated ? ['measurements were cut, because the report was too large'] : []),
    ...(isShared ? [textCell(url)] : []),
  ].join('\n');
}

const mendTitles = ['mend this first', 'mend these two first', 'mend these three first'];

function urgentLines({ sections }: ReportView, { paint, width }: Screen): string[] {
  const urgent = urgentFindings(sections);
  if (urgent.length === 0) return [];
  const rows = urgent.flatMap(({ section, finding: { message, remedy, code } }, i) => [
    [`${i + 1}`, section, `${message} (${code})`],
    // a control plane before the client's version sends none
    ...(remedy ? [['', '', remedy]] : []),
  ]);
  const lines = wrappedRows(rows, { width: width - 2 });
  return ['', paint(mendTitles[urgent.length - 1] ?? '', 'strong'), ...lines.map((line) => `  ${line}`), ''];
}
