import { textCell } from '@vantage/shared/probe-types/cells.js';
import { type Html, html } from './html.js';

/** Lines that the licences of data ask for, as the foot of a page or of an answer. */
export function attributionHtml(lines: readonly string[]): Html {
  return html`<footer class="attribution">${lines.map((line) => html`<p class="muted">${textCell(line)}</p>`)}</footer>`;
}
