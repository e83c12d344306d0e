import { msCell } from '@vantage/shared/probe-types/cells.js';
import { detailedMembers, detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { isMuchDisturbed } from '@vantage/shared/probe-types/disturbed-note.js';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { type JudgedResult, verdictOf, verdictWords } from '@vantage/shared/probe-types/verdict.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { tableLines } from '@vantage/shared/terminal/table.js';
import { wrapLine } from '@vantage/shared/terminal/wrap-text.js';
import { wrappedRows } from '@vantage/shared/terminal/wrapped-rows.js';

/** Width of the word before a report. */
const VERDICT_WIDTH = 6;

type Fields = Readonly<Record<string, unknown>>;

/** Fields every result has; the first line of a report says them. */
const COMMON_FIELDS = new Set(['success', 'error', 'started_at', 'duration_ms', 'disturbed', 'loop_lag_ms']);

/**
 * A result of any type for people: outcome, then its fields, then each list as a table, then the details of the type,
 * which stand for the fields they show. Lines end with a newline.
 */
export function probeReport(type: ProbeType, target: string, result: Fields, screen: Screen): string {
  const details = detailLines(type, result);
  const shown = new Set([...COMMON_FIELDS, ...(details.length > 0 ? detailedMembers(type) : [])]);
  const own = Object.entries(result).filter(([name, value]) => !shown.has(name) && !isEmpty(value));
  const plain = own.filter(([, value]) => !isTable(value)).flatMap(([name, value]) => plainLines(name, value));
  const inner = screen.width - 2;
  const rows = wrappedRows(plain, { width: inner });
  const lines = [...outcome(type, target, result, screen), ...rows.map((line) => `  ${line}`)];
  for (const [name, value] of own)
    if (isTable(value)) lines.push('', `  ${screen.paint(label(name), 'strong')}`, ...table(value, screen));
  if (details.length > 0)
    lines.push('', ...details.flatMap((line) => wrapLine(line, inner)).map((line) => `  ${line}`));
  return `${lines.join('\n')}\n`;
}

function outcome(type: ProbeType, target: string, result: Fields, { width, paint }: Screen): string[] {
  const about = `${type} ${target} (${msCell(Number(result['duration_ms']))}${doubt(result)})`;
  const { look, word } = verdictOf(type, result as unknown as JudgedResult);
  const error = result['error'];
  const isOk = look !== 'bad';
  const shown = word === verdictWords.en.ok ? '' : `: ${cell(word)}`;
  const rows = isRecord(error)
    ? [
        ['FAILED', about],
        ['', `${cell(error['code'])}: ${cell(error['message'])}`],
      ]
    : [[isOk ? 'OK' : 'FAILED', `${about}${shown}`]];
  const lines = wrappedRows(
    rows.map(([word = '', text = '']) => [word.padEnd(VERDICT_WIDTH), text]),
    { width },
  );
  return lines.map((line) => line.replace(/^(?:OK|FAILED)/, (word) => paint(word, isOk ? 'good' : 'bad')));
}

function doubt(result: Fields): string {
  if (!isMuchDisturbed(result)) return '';
  return `, disturbed: the event loop was ${msCell(Number(result['loop_lag_ms']))} late`;
}

/** Objects are unfolded one level: `timing.dns_ms` reads as `timing dns`. */
function plainLines(name: string, value: unknown): [string, string][] {
  if (!isRecord(value)) return [[label(name), withUnit(name, value)]];
  return Object.entries(value)
    .filter(([, inner]) => inner !== null && !isTable(inner))
    .map(([inner, innerValue]) => [`${label(name)} ${label(inner)}`, withUnit(inner, innerValue)]);
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function isTable(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function table(rows: readonly Fields[], screen: Screen): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => ({ title: label(name) }));
  const cells = rows.map((row) => names.map((name) => cell(row[name])));
  return tableLines({ columns, rows: cells }, { ...screen, width: screen.width - 4 }).map((line) => `    ${line}`);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.map((entry) => (isRecord(entry) ? recordCell(entry) : cell(entry))).join(', ');
  return isRecord(value) ? recordCell(value) : printable(String(value));
}

/** A record inside a cell: its values, unanswered ones as one dash. */
function recordCell(record: Fields): string {
  const known = Object.values(record).filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? '-' : known.map(cell).join(' ');
}

function withUnit(name: string, value: unknown): string {
  if (typeof value !== 'number') return cell(value);
  if (name.endsWith('_ms')) return msCell(value);
  return name.endsWith('_pct') ? `${formatNumber(value)} %` : formatNumber(value);
}

function label(name: string): string {
  return name.replace(/_(ms|pct)$/, '').replaceAll('_', ' ');
}

function formatNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

/** Replaces control characters in text from a server, which may hold escape sequences that a terminal must not see. */
function printable(text: string): string {
  const line = text.replace(/\s+/g, ' ').replace(/\p{C}/gu, '\u{FFFD}');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
