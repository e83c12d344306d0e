import { alignedRows, textCell } from '../probe-types/cells.js';
import { textWidth } from './text-width.js';
import { wrapText } from './wrap-text.js';

/** A last column that has less room than this is not wrapped: a word on each line is not easier to read. */
const MIN_WIDTH = 20;

/**
 * Rows as aligned lines within a width: the last column is wrapped between words, below its own beginning. Long words stay whole. Texts cannot
 * control the terminal.
 */
export function wrappedRows(
  texts: readonly (readonly string[])[],
  { width, right }: { readonly width: number; readonly right?: ReadonlySet<number> },
): string[] {
  const rows = texts.map((row) => row.map(textCell));
  const last = Math.max(0, ...rows.map((row) => row.length)) - 1;
  const before = rows.map((row) => row.slice(0, last).map(textWidth));
  const start = Array.from({ length: last }, (_, i) => 2 + Math.max(0, ...before.map((lengths) => lengths[i] ?? 0)));
  const room = width - start.reduce((sum, columnWidth) => sum + columnWidth, 0);
  if (room < MIN_WIDTH) return alignedRows(rows, right);
  const lines = rows.flatMap((row) => {
    const [first = '', ...more] = wrapText(row[last] ?? '', room);
    const rest = more.map((text) => [...Array.from({ length: last }, () => ''), text]);
    return [row.length > last ? [...row.slice(0, last), first] : row, ...rest];
  });
  return alignedRows(lines, right);
}
