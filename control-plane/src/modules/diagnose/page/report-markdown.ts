import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { Locale } from '../../../http/locale.js';
import type { Block } from './block.js';
import type { DocumentSection, ReportDocument } from './report-document.js';
import { type ReportTexts, reportTexts } from './texts.js';

/** A report as Markdown (CommonMark with the tables of GitHub). Texts are escaped: none of them becomes markup, a link or HTML. */
export function reportMarkdown(document: ReportDocument, locale: Locale): string {
  const { title, score, facts, notes, sections } = document;
  const texts = reportTexts[locale];
  const parts = [
    `# ${escapeMarkdown(title)}`,
    `**${escapeMarkdown(texts.score)}: ${score ?? escapeMarkdown(texts.noScore)}**`,
    ...notes.map(escapeMarkdown),
    facts.map(([label, value]) => `- ${escapeMarkdown(label)}: ${escapeMarkdown(value)}`).join('\n'),
    ...urgentParts(document, texts),
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

function urgentParts({ urgent }: ReportDocument, texts: ReportTexts): string[] {
  if (urgent.length === 0) return [];
  const lines = urgent.map(
    ({ section, text, remedy }, i) =>
      `${i + 1}. ${escapeMarkdown(`${section}: ${text}`)} ${escapeMarkdown(remedy ?? '')}`,
  );
  return [`## ${escapeMarkdown(texts.mend(urgent.length))}`, lines.join('\n')];
}

function sectionParts(section: DocumentSection, texts: ReportTexts): string[] {
  const { title, score, state, findings, missing, nodeBlocks, blocks } = section;
  const head = [texts.severity, texts.finding, texts.penalty, texts.seenBy];
  const rows = findings.map((found) => [
    found.severityText,
    [found.text, found.remedy, found.code].filter((text) => text !== null).join(' '),
    String(found.penalty),
    found.seenBy,
  ]);
  return [
    `## ${escapeMarkdown(title)}${score === null ? '' : `: ${score}`}`,
    escapeMarkdown(state),
    ...(missing === null ? [] : [escapeMarkdown(missing)]),
    ...(rows.length === 0 ? [] : [tableText(head, rows)]),
    ...[...nodeBlocks, ...blocks].flatMap(blockParts),
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
