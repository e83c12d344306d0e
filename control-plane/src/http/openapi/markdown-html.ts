import { type Html, html } from '../pages/html.js';

/** CommonMark as far as the texts of the document use it: paragraphs, headings, lists, code and links. */
export function markdownHtml(text: string): Html {
  return html`${text.split(/\n{2,}/).map(blockHtml)}`;
}

function blockHtml(block: string): Html {
  if (block.startsWith('## ')) return html`<h3>${block.slice(3)}</h3>`;
  if (!block.startsWith('- ')) return html`<p>${inlineHtml(block)}</p>`;
  return html`<ul>${block.split(/\n(?=- )/).map((item) => html`<li>${inlineHtml(item.slice(2))}</li>`)}</ul>`;
}

/** A line of such a text: code and links in it. */
export function inlineHtml(text: string): Html {
  return html`${text.split(/(\[[^\]]+\]\([^)]+\)|`[^`]+`)/).map((piece, i) => (i % 2 === 0 ? piece : markedHtml(piece)))}`;
}

function markedHtml(piece: string): Html {
  const [, label, address] = /^\[(.*)\]\((.*)\)$/.exec(piece) ?? [];
  if (label === undefined || address === undefined) return html`<code>${piece.slice(1, -1)}</code>`;
  return html`<a href="${address}">${inlineHtml(label)}</a>`;
}
