import { type Html, html } from './html.js';

export interface PageTable {
  /** Name of the region that a reader scrolls in; without one it has none. */
  readonly name?: string;
  readonly head: readonly PageHeadCell[];
  readonly rows: readonly (readonly PageCell[])[];
}

/** Title of a column. */
export type PageHeadCell = string | { readonly text: string; readonly look: PageCellLook };

/** Cell: its text, or content with a look. */
export type PageCell =
  | string
  | { readonly content: Html | string; readonly look?: PageCellLook; readonly columns?: number };

/** `number` is right-aligned, `words` is prose, `name` is the title of a card, `bars` and `verdict` have room of their own; the others colour a verdict. */
export type PageCellLook = 'number' | 'words' | 'name' | 'bars' | 'verdict' | 'good' | 'bad' | 'warn';

/**
 * A table that scrolls in itself where it is wide; on a narrow screen each row is a card, in which the title of its column stands
 * before each value. Roles are stated, since browsers take those of a table away with its layout.
 */
export function tableHtml({ name, head, rows }: PageTable): Html {
  const region = name === undefined ? '' : html` role="region" aria-label="${name}"`;
  const titles = head.map((cell) => (typeof cell === 'string' ? cell : cell.text));
  return html`<div class="wide" tabindex="0"${region}><table role="table">
<thead role="rowgroup"><tr role="row">${head.map((cell) => headCell(cell))}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map((cell, column) => bodyCell(cell, titles[column] ?? ''))}</tr>`)}</tbody>
</table></div>`;
}

function headCell(cell: PageHeadCell): Html {
  if (typeof cell === 'string') return html`<th role="columnheader">${cell}</th>`;
  return html`<th role="columnheader" class="${cell.look}">${cell.text}</th>`;
}

function bodyCell(cell: PageCell, title: string): Html {
  if (typeof cell === 'string') return html`<td role="cell" data-title="${title}"><span>${cell}</span></td>`;
  const look = cell.look === undefined ? '' : html` class="${cell.look}"`;
  const columns = cell.columns === undefined ? '' : html` colspan="${cell.columns}"`;
  // a cell over several columns and the title of a card have no title: their content speaks for itself
  const label = cell.columns === undefined && cell.look !== 'name' ? html` data-title="${title}"` : '';
  return html`<td role="cell"${look}${columns}${label}><span>${cell.content}</span></td>`;
}
