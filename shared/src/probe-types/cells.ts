/** Milliseconds for people: two decimals below ten, one above; a dash for nothing. */
export function msCell(value: number | null): string {
  return value === null ? '-' : `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

/** Text for people; a dash for nothing. Servers choose much of it: what would steer a terminal becomes a dot. */
export function textCell(value: string | number | null): string {
  return value === null ? '-' : String(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
}

/** Rows as lines of text, each column as wide as its widest cell; `right` names the columns that end alike. */
export function alignedRows(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string[] {
  const columnCount = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columnCount }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const padded = (text: string, i: number) =>
    right.has(i) ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0);
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}
