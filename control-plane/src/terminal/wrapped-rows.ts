import { alignedRows } from '@vantage/shared/probe-types/cells.js';

/** Width of lines for which no terminal says its own. */
const USUAL_WIDTH = 80;
/** A last column that has less room than this is not wrapped: a word on each line is not easier to read. */
const MIN_WIDTH = 20;

/** Characters in a line of the terminal behind standard output; 80 if there is none. */
export function terminalWidth(): number {
  return process.stdout.columns || USUAL_WIDTH;
}

/** Rows as aligned lines within a width: the last column is wrapped between words, below its own beginning. Long words stay whole. */
export function wrappedRows(
  rows: readonly (readonly string[])[],
  { width, right }: { readonly width: number; readonly right?: ReadonlySet<number> },
): string[] {
  const last = Math.max(0, ...rows.map((row) => row.length)) - 1;
  const before = rows.map((row) => row.slice(0, last).map((cell) => cell.length));
  const start = Array.from({ length: last }, (_, i) => 2 + Math.max(0, ...before.map((lengths) => lengths[i] ?? 0)));
  const room = width - start.reduce((sum, columnWidth) => sum + columnWidth, 0);
  if (room < MIN_WIDTH) return alignedRows(rows, right);
  const lines = rows.flatMap((row) => {
    const [first = '', ...more] = wordLines(row[last] ?? '', room);
    const rest = more.map((text) => [...Array.from({ length: last }, () => ''), text]);
    return [row.length > last ? [...row.slice(0, last), first] : row, ...rest];
  });
  return alignedRows(lines, right);
}

/** Lines of at most `width` characters, as far as words permit. */
function wordLines(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
