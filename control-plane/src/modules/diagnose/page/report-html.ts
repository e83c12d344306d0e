import type { Severity } from '@vantage/shared/diagnose/finding-rule.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { type Html, html } from '../../../http/pages/html.js';
import { type PageCellLook, tableHtml } from '../../../http/pages/table-html.js';
import type { Block } from './block.js';
import type { DocumentFinding, DocumentSection, ReportDocument } from './report-document.js';
import type { ReportTexts } from './texts.js';

const colours: Readonly<Record<Severity, { readonly look?: PageCellLook }>> = {
  critical: { look: 'bad' },
  warning: { look: 'warn' },
  notice: {},
  good: { look: 'good' },
};

/** Content of the page of a report. Every text is shown as text: nothing that servers chose steers the reader's browser. */
export function reportHtml({ title, score, facts, notes, sections }: ReportDocument, texts: ReportTexts): Html {
  return html`
<h1>${textCell(title)}</h1>
<p class="lead">${texts.score}: <b class="${scoreColour(score)}">${score ?? texts.noScore}</b></p>
${notes.map((note) => html`<p class="text">${note}</p>`)}
<dl>${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${textCell(value)}</dd>`)}</dl>
${sections.map((section) => sectionHtml(section, texts))}`;
}

function sectionHtml({ title, score, state, findings, blocks }: DocumentSection, texts: ReportTexts): Html {
  return html`
<section>
<h2>${title}${score === null ? '' : html` · <span class="${scoreColour(score)}">${score}</span>`}</h2>
<p class="muted">${state}</p>
${findings.length === 0 ? '' : findingsHtml(findings, texts)}
${blocks.map((block) => blockHtml(block))}
</section>`;
}

function findingsHtml(findings: readonly DocumentFinding[], texts: ReportTexts): Html {
  return tableHtml({
    name: texts.findings,
    head: [texts.severity, texts.finding, { text: texts.penalty, look: 'number' }, texts.seenBy],
    rows: findings.map(({ severity, severityText, text, code, penalty, seenBy }) => [
      { content: severityText, ...colours[severity] },
      { content: html`${text}<br><code>${code}</code>`, look: 'words' },
      { content: String(penalty), look: 'number' },
      textCell(seenBy),
    ]),
  });
}

function blockHtml(block: Block): Html {
  if (block.kind === 'lines') {
    const title = textCell(block.title);
    return html`<h3>${title}</h3><pre tabindex="0">${block.lines.map(textCell).join('\n')}</pre>`;
  }
  return tableHtml({ head: block.head.map(textCell), rows: block.rows.map((row) => row.map(textCell)) });
}

function scoreColour(score: number | null): string {
  if (score === null) return '';
  return score >= 80 ? 'good' : score >= 50 ? 'warn' : 'bad';
}
