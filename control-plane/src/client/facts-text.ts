import { alignedRows, textCell } from '@vantage/shared/probe-types/cells.js';

type Fact = unknown;

/**
 * The fields of an answer as lines for a terminal, in their order: values under one another, a list of values on one line, a
 * list of records as a table, a record indented below its name.
 */
export function factsText(facts: object): string {
  return linesOf(facts).join('\n');
}

function linesOf(facts: object): string[] {
  const lines: string[] = [];
  let plain: string[][] = [];
  const flush = () => {
    lines.push(...alignedRows(plain));
    plain = [];
  };
  for (const [name, value] of Object.entries(facts) as [string, Fact][]) {
    const block = blockOf(value);
    if (block === null) plain.push([nameOf(name), cellOf(value)]);
    else {
      flush();
      lines.push(nameOf(name), ...block.map((line) => `  ${line}`));
    }
  }
  flush();
  return lines;
}

/** Lines of a value that needs lines of its own; null: it fits in a cell. */
function blockOf(value: Fact): string[] | null {
  if (Array.isArray(value)) return value.some(isRecord) ? tableOf(value.filter(isRecord)) : null;
  return isRecord(value) && Object.keys(value).length > 0 ? linesOf(value) : null;
}

/** Columns of which no record has a value are left out. */
function tableOf(records: readonly Record<string, Fact>[]): string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const columns = names.filter((name) => records.some((record) => cellOf(record[name] ?? null) !== '-'));
  return alignedRows([
    columns.map(nameOf),
    ...records.map((record) => columns.map((name) => cellOf(record[name] ?? null))),
  ]);
}

function cellOf(value: Fact): string {
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cellOf).join(', ');
  if (isRecord(value)) return Object.values(value).map(cellOf).join(' ') || '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return textCell(typeof value === 'string' || typeof value === 'number' ? value : null);
}

function nameOf(name: string): string {
  return textCell(name).replaceAll('_', ' ');
}

function isRecord(value: Fact): value is Record<string, Fact> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
