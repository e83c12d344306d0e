import { textCell } from './probe-types/cells.js';

/** Part of an answer for people: values under one another, a table of records, or a record with parts of its own. */
export type FactBlock =
  | { readonly kind: 'values'; readonly rows: readonly (readonly [name: string, value: string])[] }
  | {
      readonly kind: 'table';
      readonly name: string;
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'record'; readonly name: string; readonly blocks: readonly FactBlock[] };

/** Instant of the API, in milliseconds (RFC 3339). */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Facts = Readonly<Record<string, unknown>>;

/**
 * The fields of an answer in their order: a list of values is one value, a list of records a
 * table, an instant to the second. Texts cannot control a
 * terminal; what writes markup escapes them.
 */
export function factBlocks(facts: object): FactBlock[] {
  const blocks: FactBlock[] = [];
  let rows: [string, string][] = [];
  const flush = () => {
    if (rows.length > 0) blocks.push({ kind: 'values', rows });
    rows = [];
  };
  for (const [name, value] of Object.entries(facts)) {
    const block = blockOf(nameOf(name), value);
    if (block === null) rows.push([nameOf(name), cellOf(value)]);
    else {
      flush();
      blocks.push(block);
    }
  }
  flush();
  return blocks;
}

/** Block of a value that is more than a cell; null if it is none. */
function blockOf(name: string, value: unknown): FactBlock | null {
  if (Array.isArray(value)) return value.some(isRecord) ? tableOf(name, value.filter(isRecord)) : null;
  return isRecord(value) && Object.keys(value).length > 0 ? { kind: 'record', name, blocks: factBlocks(value) } : null;
}

/** Columns of which no record has a value are left out. */
function tableOf(name: string, records: readonly Facts[]): FactBlock {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const columns = names.filter((column) => records.some((record) => cellOf(record[column]) !== '-'));
  const rows = records.map((record) => columns.map((column) => cellOf(record[column])));
  return { kind: 'table', name, head: columns.map(nameOf), rows };
}

function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(cellOf).join(', ') || '-';
  if (isRecord(value)) return Object.values(value).map(cellOf).join(' ') || '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' && INSTANT.test(value)) return `${value.slice(0, 10)} ${value.slice(11, 19)} UTC`;
  return textCell(typeof value === 'string' || typeof value === 'number' ? value : null);
}

function nameOf(name: string): string {
  return textCell(name).replaceAll('_', ' ');
}

function isRecord(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
