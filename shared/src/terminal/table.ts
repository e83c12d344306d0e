import { textCell } from '../probe-types/cells.js';
import type { Paint, Tone } from './colours.js';
import type { Screen } from './screen.js';
import { padEnd, padStart, textWidth } from './text-width.js';
import { wrapText } from './wrap-text.js';

// A table of any content in a terminal of any width:
//
//   it fits ──────────────────────────────────────────> as it is
//   it does not: columns that stand elsewhere go, from the right, until it fits
//   it still does not: cells that have a short text show that one
//   it still does not: the last column is wrapped, or else the widest, if that leaves it room
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
/** A column that has less room than this is not wrapped: a word on each line is not easier to read. */
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
  const wrapped = wrappedColumn(fitted, width);
  return wrapped === null ? blockLines(table, { width, paint }) : rowLines(fitted, wrapped, paint);
}

/** A column that is wrapped, and its width. */
interface WrappedColumn {
  readonly index: number;
  readonly width: number;
}

/** Column whose wrapping makes a table fit: the last, else the widest; null if neither would have room. */
function wrappedColumn(table: TableRows, width: number): WrappedColumn | null {
  const widths = columnWidths(table);
  const spare = width - naturalWidth(table);
  const last = widths.length - 1;
  if (spare >= 0) return { index: last, width: (widths[last] ?? 0) + spare };
  const roomOf = (index: number) => ({ index, width: (widths[index] ?? 0) + spare });
  const [own, widest] = [roomOf(last), roomOf(widths.lastIndexOf(Math.max(...widths)))];
  return [own, widest].find((column) => column.width >= MIN_WRAPPED && fitsWrapped(table, column)) ?? null;
}

/** True if no word of a column is wider than the column will be. */
function fitsWrapped({ rows }: TableRows, { index, width }: WrappedColumn): boolean {
  return rows.every((row) => wrapText(textOf(row[index]), width).every((line) => textWidth(line) <= width));
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

function naturalWidth(table: TableRows): number {
  return columnWidths(table).reduce((sum, width) => sum + width, 0) + GAP.length * (table.columns.length - 1);
}

function columnWidths({ columns, rows }: TableRows): number[] {
  return columns.map(({ title }, i) => Math.max(textWidth(title), ...rows.map((row) => textWidth(textOf(row[i])))));
}

/** Lines of rows of which one column is wrapped at its width. */
function rowLines({ columns, rows }: TableRows, { index, width }: WrappedColumn, paint: Paint): string[] {
  const wrapped = rows.flatMap((row) => {
    const [first = '', ...more] = wrapText(textOf(row[index]), width);
    const tone = toneOf(row[index]);
    const cell = (text: string): Cell => (tone === null ? text : { text, tone });
    return [
      row.length > index ? row.with(index, cell(first)) : row,
      ...more.map((text) => [...Array.from({ length: index }, () => ''), cell(text)]),
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
