import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { Locale } from '../../../http/locale.js';
import { attributionHtml } from '../../../http/pages/attribution-html.js';
import { findingsHtml } from '../../../http/pages/findings-html.js';
import { type Html, html } from '../../../http/pages/html.js';
import { pillHtml } from '../../../http/pages/pill-html.js';
import { tableHtml } from '../../../http/pages/table-html.js';
import type { PageKind } from '../kinds/titles.js';
import type { AnswerView, Part } from './answer-view.js';
import { lookupPageTexts } from './texts.js';
import { dnsView } from './views/dns.js';
import { headersView } from './views/headers.js';
import { icpView } from './views/icp.js';
import { ipView } from './views/ip.js';
import { reputationView } from './views/reputation.js';
import { sslView } from './views/ssl.js';
import { whoisView } from './views/whois.js';
import { type Words, wordsOf } from './words.js';

const views: Readonly<Record<PageKind, (data: never, words: Words, nowMs: number) => AnswerView>> = {
  ip: ipView,
  whois: whoisView,
  ssl: sslView,
  dns: dnsView,
  icp: icpView,
  headers: headersView,
  reputation: reputationView,
};

interface Shown {
  readonly kind: PageKind;
  /** Answer of this kind. */
  readonly data: object;
  readonly locale: Locale;
  readonly nowMs: number;
}

/**
 * An answer as part of a page: its judgment, what matters first, and folded the answer of the API; below it the lines of its
 * attribution. Every text in it is shown as text.
 */
export function answerHtml({ kind, data, locale, nowMs }: Shown): Html {
  const { verdicts, note, parts } = views[kind](data as never, wordsOf(locale, nowMs), nowMs);
  const { attribution = [] } = data as { readonly attribution?: readonly string[] };
  const json = JSON.stringify(data, null, 2).split('\n').map(textCell).join('\n');
  return html`
${verdicts.length > 0 && html`<p class="row">${verdicts.map(({ look, word }) => pillHtml({ look, word: textCell(word) }))}</p>`}
${note !== null && html`<p class="text">${textCell(note)}</p>`}
${parts.map((part) => partHtml(part))}
<details class="unprinted"><summary>${lookupPageTexts[locale].json}</summary><pre lang="en" tabindex="0">${json}</pre></details>
${attribution.length > 0 && attributionHtml(attribution)}`;
}

function partHtml(part: Part): Html | '' {
  if (part.kind === 'findings')
    return part.findings.length === 0 ? '' : html`<h2>${part.title}</h2>${findingsHtml(part.findings)}`;
  if (part.kind === 'table') {
    const { title, head, rows } = part;
    if (rows.length === 0) return '';
    return html`<h2>${title}</h2>${tableHtml({ name: title, head, rows: rows.map((row) => row.map(textCell)) })}`;
  }
  const { title, rows, isFolded } = part;
  const known = rows.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const]));
  if (known.length === 0) return '';
  const list = html`<dl>${known.map(([label, value]) => html`<dt>${textCell(label)}</dt><dd>${textCell(value)}</dd>`)}</dl>`;
  if (isFolded === true) return html`<details><summary>${title ?? ''}</summary>${list}</details>`;
  return html`${title !== undefined && html`<h2>${title}</h2>`}${list}`;
}
