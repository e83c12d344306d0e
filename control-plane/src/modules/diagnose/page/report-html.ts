import type { Severity } from '@vantage/shared/diagnose/finding-rule.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { Locale } from '../../../http/locale.js';
import { findingsHtml, type PageFinding } from '../../../http/pages/findings-html.js';
import { type Html, html } from '../../../http/pages/html.js';
import type { Pill } from '../../../http/pages/pill-html.js';
import { tableHtml } from '../../../http/pages/table-html.js';
import { resultDetailsHtml, resultRowsHtml } from '../../pages/index.js';
import type { Block } from './block.js';
import type { DocumentFinding, DocumentSection, ReportDocument } from './report-document.js';
import { type ReportTexts, reportTexts } from './texts.js';

const looks: Readonly<Record<Severity, Pill['look']>> = {
  critical: 'bad',
  warning: 'warn',
  notice: 'none',
  good: 'good',
};

/** Content of the page of a report. Every text is shown as text: nothing that servers chose steers the reader's browser. */
export function reportHtml(document: ReportDocument, locale: Locale): Html {
  const { title, score, facts, notes, sections } = document;
  const texts = reportTexts[locale];
  return html`
<h1>${textCell(title)}</h1>
<p class="lead">${texts.score}: <b class="${scoreColour(score)}">${score ?? texts.noScore}</b></p>
<p class="muted small">${facts.map(([label, value], i) => html`${i > 0 && ' · '}${label}: ${textCell(value)}`)}</p>
${notes.map((note) => html`<p class="text">${note}</p>`)}
${urgentHtml(document, texts)}
<nav class="row" aria-label="${texts.contents}">${sections.map(({ name, title: text, score: own }) => html`<a href="#${name}">${text}${own !== null && html` <b class="${scoreColour(own)}">${own}</b>`}</a>`)}</nav>
${sections.map((section) => sectionHtml(section, texts, locale))}`;
}

/** Findings that matter most, with their remedies, each a link to its place below. */
function urgentHtml({ urgent, score }: ReportDocument, texts: ReportTexts): Html | '' {
  if (urgent.length === 0) return score === null ? '' : html`<p class="text good">${texts.nothingToMend}</p>`;
  return html`<section class="raised">
<h2>${texts.mend(urgent.length)}</h2>
<ol>${urgent.map(({ text, code, section, remedy }) => html`<li><a href="#${code}">${text}</a> <span class="muted small">${section}</span><br>${remedy}</li>`)}</ol>
</section>`;
}

function sectionHtml(section: DocumentSection, texts: ReportTexts, locale: Locale): Html {
  const { name, title, score, state, findings, missing, results, blocks } = section;
  const faults = findings.filter(({ penalty }) => penalty > 0);
  const others = findings.filter(({ penalty }) => penalty === 0);
  const isFaulty = faults.length > 0;
  const isFolded = others.length > 0 || results !== null || blocks.length > 0;
  return html`
<section id="${name}">
<h2>${title}${score === null ? '' : html` · <span class="${scoreColour(score)}">${score}</span>`}</h2>
${score === null && html`<p class="muted">${state}</p>`}
${missing !== null && html`<p class="muted">${missing}</p>`}
${findingsHtml(faults.map((finding) => findingOf(finding, texts)))}
${isFaulty && results !== null && resultRowsHtml(results, locale)}
${
  isFolded &&
  html`<details><summary>${texts.folded}</summary>
${findingsHtml(others.map((finding) => findingOf(finding, texts)))}
${results !== null && [!isFaulty && resultRowsHtml(results, locale), resultDetailsHtml(results, locale)]}
${blocks.map((block) => blockHtml(block))}
</details>`
}
</section>`;
}

function findingOf(finding: DocumentFinding, { penalty: penaltyText, seenBy: seenByText }: ReportTexts): PageFinding {
  const { severity, severityText, text, code, penalty, seenBy, remedy } = finding;
  const facts = [
    ...(penalty > 0 ? [`${penaltyText} ${penalty}`] : []),
    ...(seenBy === '-' ? [] : [`${seenByText}: ${textCell(seenBy)}`]),
  ];
  return { pill: { look: looks[severity], word: severityText }, text, remedy, code, facts };
}

function blockHtml(block: Block): Html {
  if (block.kind === 'lines') {
    const title = textCell(block.title);
    return html`<h3>${title}</h3><pre lang="en" tabindex="0">${block.lines.map(textCell).join('\n')}</pre>`;
  }
  return tableHtml({ head: block.head.map(textCell), rows: block.rows.map((row) => row.map(textCell)) });
}

function scoreColour(score: number | null): string {
  if (score === null) return '';
  return score >= 80 ? 'good' : score >= 50 ? 'warn' : 'bad';
}
