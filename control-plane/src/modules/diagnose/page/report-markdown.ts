import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { Block } from './block.js';
import type { DocumentSection, ReportDocument } from './report-document.js';
import type { ReportTexts } from './texts.js';

/** A report as Markdown (CommonMark with the tables of GitHub). Texts are escaped: none of them becomes markup, a link or HTML. */
export function reportMarkdown({ title, score, facts, notes, sections }: ReportDocument, texts: ReportTexts): string {
  const parts = [
    `# ${escapeMarkdown(title)}`,
    `**${escapeMarkdown(texts.score)}: ${score ?? escapeMarkdown(texts.noScore)}**`,
    ...notes.map(escapeMarkdown),
    facts.map(([label, value]) => `- ${escapeMarkdown(label)}: ${escapeMarkdown(value)}`).join('\n'),
    ...sections.flatMap((section) => sectionParts(section, texts)),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Text as it is shown by a renderer of Markdown: what could be read as markup is escaped, what steers a terminal becomes a dot. */
export function escapeMarkdown(text: string): string {
  return textCell(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]()#+\-.!|~:@^$=]/g, '\\$&');
}

function sectionParts({ title, score, state, findings, blocks }: DocumentSection, texts: ReportTexts): string[] {
  const head = [texts.severity, texts.finding, texts.penalty, texts.seenBy];
  const rows = findings.map((found) => [
    found.severityText,
    `${found.text} ${found.code}`,
    String(found.penalty),
    found.seenBy,
  ]);
  return [
    `## ${escapeMarkdown(title)}${score === null ? '' : `: ${score}`}`,
    escapeMarkdown(state),
    ...(rows.length === 0 ? [] : [tableText(head, rows)]),
    ...blocks.flatMap(blockParts),
  ];
}

function blockParts(block: Block): string[] {
  if (block.kind === 'table') return [tableText(block.head, block.rows)];
  return [`### ${escapeMarkdown(block.title)}`, fenced(block.lines.map(textCell))];
}

function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => escapeMarkdown(cell)).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** Lines in a fence that is longer than any in them. */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...lines, fence].join('\n');
}
