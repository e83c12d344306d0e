import { textCell } from '../probe-types/cells.js';
import type { Tone } from './colours.js';
import type { Screen } from './screen.js';
import { padEnd, padStart, textWidth } from './text-width.js';
import { wrapText } from './wrap-text.js';

// A table of any content in a terminal of any width:
//
//   it fits ──────────────────────────────────────────> as it is
//   it does not: columns that stand elsewhere go, from the right, until it fits
//   it still does not: cells that have a short text show that one
//   it still does not: the last column is wrapped, if that leaves it room
//   narrow, or no room ───────────────────────────────> a block for each row, a line for each value

/** A cell: text, with a meaning that a colour shows, and a shorter text for tables without room. */
export type Cell = string | { readonly text: string; readonly tone?: Tone; readonly short?: string };

/** A column by its title; `isElsewhere`: its values stand below the table too, so it may go where there is no room. */
export interface TableColumn {
  readonly title: string;
  readonly isElsewhere?: boolean;
}

export interface TableRows {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Width below which each row is a block. */
const NARROW = 60;
/** A last column that has less room than this is not wrapped: a word on each line is not easier to read. */
const MIN_WRAPPED = 20;
const GAP = '  ';
/** A number, with a unit or a sign; addresses and names are none. */
const FIGURE = /^[-+±]?\d+(?:[.,]\d+)?(?: ?(?:%|[kM]?B|GB|bytes|µs|ms|s|min|h|d|[MG]bit\/s))?$/;

/**
 * Lines of a table for a terminal: titles, then a row per line, figures right-aligned; narrow terminals get blocks. Texts
 * cannot control the terminal.
 */
export function tableLines(table: TableRows, { width, paint }: Screen): string[] {
  if (width < NARROW && naturalWidth(table) > width) return blockLines(table, { width, paint });
  const fitted = shortened(withoutSpare(table, width), width);
  const room = width - naturalWidth({ ...fitted, ...withoutLast(fitted) }) - GAP.length;
  if (naturalWidth(fitted) > width && room < MIN_WRAPPED) return blockLines(table, { width, paint });
  return rowLines(fitted, { width: Math.max(room, 1), paint });
}

function withoutSpare({ columns, rows }: TableRows, width: number): TableRows {
  if (naturalWidth({ columns, rows }) <= width) return { columns, rows };
  const spare = columns.findLastIndex(({ isElsewhere }) => isElsewhere === true);
  if (spare === -1) return { columns, rows };
  return withoutSpare(
    { columns: columns.toSpliced(spare, 1), rows: rows.map((row) => row.toSpliced(spare, 1)) },
    width,
  );
}

function shortened(table: TableRows, width: number): TableRows {
  if (naturalWidth(table) <= width) return table;
  const short = (cell: Cell): Cell => (typeof cell === 'string' ? cell : { ...cell, text: cell.short ?? cell.text });
  return { ...table, rows: table.rows.map((row) => row.map(short)) };
}

function withoutLast({ columns, rows }: TableRows): TableRows {
  const last = columns.length - 1;
  return { columns: columns.slice(0, last), rows: rows.map((row) => row.slice(0, last)) };
}

function naturalWidth(table: TableRows): number {
  return columnWidths(table).reduce((sum, width) => sum + width, 0) + GAP.length * (table.columns.length - 1);
}

function columnWidths({ columns, rows }: TableRows): number[] {
  return columns.map(({ title }, i) => Math.max(textWidth(title), ...rows.map((row) => textWidth(textOf(row[i])))));
}

/** Lines of rows of which the last column has `width` columns. */
function rowLines({ columns, rows }: TableRows, { width, paint }: Screen): string[] {
  const last = columns.length - 1;
  const wrapped = rows.flatMap((row) => {
    const [first = '', ...more] = wrapText(textOf(row[last]), width);
    const tone = toneOf(row[last]);
    const cell = (text: string): Cell => (tone === null ? text : { text, tone });
    return [
      row.length > last ? [...row.slice(0, last), cell(first)] : row,
      ...more.map((text) => [...Array.from({ length: last }, () => ''), cell(text)]),
    ];
  });
  const widths = columnWidths({ columns, rows: wrapped });
  const isRight = columns.map((_, i) => isFigures(rows.map((row) => textOf(row[i]))));
  const line = (row: readonly Cell[]) =>
    row
      .map((cell, i) => {
        const padded = (isRight[i] ? padStart : padEnd)(
          textOf(cell),
          i === row.length - 1 && !isRight[i] ? 0 : (widths[i] ?? 0),
        );
        return paint(padded, toneOf(cell));
      })
      .join(GAP)
      .trimEnd();
  const head: Cell[] = columns.map(({ title }) => ({ text: title, tone: 'strong' }));
  return [line(head), ...wrapped.map((row) => line(trimmed(row)))];
}

/** A row without empty cells at its end, so that its line has no spaces there. */
function trimmed(row: readonly Cell[]): readonly Cell[] {
  return row.slice(0, row.findLastIndex((cell) => textOf(cell) !== '') + 1);
}

/** A block for each row: the first cell, then a line for each other value. */
function blockLines({ columns, rows }: TableRows, { width, paint }: Screen): string[] {
  const margin = Math.max(0, ...columns.slice(1).map(({ title }) => textWidth(title))) + 2 * GAP.length;
  return rows.flatMap((row) => [
    paint(textOf(row[0]), 'strong'),
    ...columns.slice(1).flatMap(({ title }, i) => {
      const cell = row[i + 1];
      const [first = '', ...more] = wrapText(textOf(cell), width - margin);
      if (first === '') return [];
      return [
        `${padEnd(`${GAP}${title}`, margin)}${paint(first, toneOf(cell))}`,
        ...more.map((text) => ' '.repeat(margin) + paint(text, toneOf(cell))),
      ];
    }),
  ]);
}

/** True if a column holds figures, and nothing else but dashes. */
function isFigures(cells: readonly string[]): boolean {
  const known = cells.filter((cell) => cell !== '' && cell !== '-');
  return known.length > 0 && known.every((cell) => FIGURE.test(cell));
}

function textOf(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  return textCell(typeof cell === 'string' ? cell : cell.text);
}

function toneOf(cell: Cell | undefined): Tone | null {
  return cell === undefined || typeof cell === 'string' ? null : (cell.tone ?? null);
}
