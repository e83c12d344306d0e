import { padEnd, padStart, textWidth } from '../terminal/text-width.js';

/** A time for people, from milliseconds: three significant digits, at most three decimals; a dash for nothing. */
export function msCell(value: number | null): string {
  if (value === null) return '-';
  return value < 999.5 ? `${threeDigits(value)} ms` : `${threeDigits(value / 1000)} s`;
}

/** Time of a name resolution; 0, which stands for an address that needed none, is a dash. */
export function dnsCell(value: number | null): string {
  return msCell(value === 0 ? null : value);
}

function threeDigits(value: number): string {
  if (value === 0 || value >= 999.5) return value.toFixed(0);
  return value < 0.1 ? value.toFixed(3) : value.toPrecision(3);
}

/** Text for people; a dash for nothing. Servers choose much of it: what would steer a terminal becomes a dot. */
export function textCell(value: string | number | null): string {
  return value === null ? '-' : String(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
}

/** Rows as lines of text, each column as wide as its widest cell; `right` names the columns that end alike. */
export function alignedRows(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const columnCount = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columnCount }, (_, i) => Math.max(...rows.map((row) => textWidth(row[i] ?? ''))));
  const padded = (text: string, i: number) =>
    right.has(i) ? padStart(text, widths[i] ?? 0) : padEnd(text, widths[i] ?? 0);
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}
