import type { Severity } from '@vantage/shared/diagnose/finding-rule.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { type Html, html } from '../../../http/pages/html.js';
import type { Block } from './block.js';
import type { DocumentFinding, DocumentSection, ReportDocument } from './report-document.js';
import type { ReportTexts } from './texts.js';

const colours: Readonly<Record<Severity, string>> = { critical: 'bad', warning: 'warn', notice: '', good: 'good' };

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
  return html`<div class="wide" tabindex="0" role="region" aria-label="${texts.findings}"><table>
<thead><tr><th>${texts.severity}</th><th>${texts.finding}</th><th class="number">${texts.penalty}</th><th>${texts.seenBy}</th></tr></thead>
<tbody>${findings.map(
    ({ severity, severityText, text, code, penalty, seenBy }) => html`<tr>
<td class="${colours[severity]}">${severityText}</td><td class="words">${text}<br><code>${code}</code></td><td class="number">${penalty}</td><td>${textCell(seenBy)}</td>
</tr>`,
  )}</tbody>
</table></div>`;
}

function blockHtml(block: Block): Html {
  if (block.kind === 'lines') {
    const title = textCell(block.title);
    return html`<h3>${title}</h3><pre tabindex="0">${block.lines.map(textCell).join('\n')}</pre>`;
  }
  return html`<div class="wide" tabindex="0"><table>
<thead><tr>${block.head.map((cell) => html`<th>${textCell(cell)}</th>`)}</tr></thead>
<tbody>${block.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${textCell(cell)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function scoreColour(score: number | null): string {
  if (score === null) return '';
  return score >= 80 ? 'good' : score >= 50 ? 'warn' : 'bad';
}
