import { type FactBlock, factBlocks } from '@vantage/shared/fact-blocks.js';
import { attributionHtml } from '../../../http/pages/attribution-html.js';
import { type Html, html } from '../../../http/pages/html.js';
import { tableHtml } from '../../../http/pages/table-html.js';

/** An answer as part of a page, with the lines of its attribution below it; every text in it is shown as text. */
export function answerHtml({ attribution, ...facts }: Answer): Html {
  return html`${factBlocks(facts).map((block) => blockHtml(block))}
${attribution === undefined || attribution.length === 0 ? '' : attributionHtml(attribution)}`;
}

/** Members of an answer that are shown in a way of their own. */
interface Answer {
  readonly attribution?: readonly string[];
}

function blockHtml(block: FactBlock): Html {
  if (block.kind === 'values')
    return html`<dl>${block.rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  if (block.kind === 'record') return html`<h2>${block.name}</h2>${block.blocks.map((part) => blockHtml(part))}`;
  return html`<h2>${block.name}</h2>
${tableHtml(block)}`;
}
