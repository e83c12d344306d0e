import { textCell } from './cells.js';
import { definitionOf, type ProbeType } from './index.js';

/** Longest line and most lines of one result that anybody is shown. */
const MAX_LINE_LENGTH = 300;
const MAX_LINES = 1000;

/** The details of a result, bounded, and with nothing in them that steers a terminal; none for types without. */
export function detailLines(type: ProbeType, result: unknown): string[] {
  return cleanLines(definitionOf(type).details?.lines(result) ?? []);
}

/** Lines that show what servers chose, bounded, and with nothing in them that steers a terminal. */
export function cleanLines(lines: readonly string[]): string[] {
  return lines.slice(0, MAX_LINES).map((line) => {
    const text = textCell(line);
    return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
  });
}

/** The members of a result that its details show. */
export function detailedMembers(type: ProbeType): ReadonlySet<string> {
  return new Set(definitionOf(type).details?.shows);
}
