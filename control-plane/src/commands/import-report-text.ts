import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { ImportReport } from '../modules/monitors/index.js';

/** Monitors that a warning names; one about more of them stands once, below all monitors. */
const MAX_NAMED = 5;

type Made = ImportReport['created'][number] | ImportReport['renamed'][number];
type Warning = ImportReport['warnings'][number];

/** An entry of the file: its mark and name, and further lines. */
interface Block {
  readonly index: number;
  readonly head: string;
  readonly lines: readonly string[];
}

/**
 * Report of an import, for people: the counts, each monitor with everything about it, then warnings about many of them.
 * Marks: `+` created, `~` created under another name or replaced, `=` skipped, `x` not imported.
 */
export function reportText(report: ImportReport, email: string): string {
  const { format, format_guessed, total, warnings } = report;
  const names = namesOf(report);
  const common = warnings.filter(({ indexes }) => indexes.length === 0 || indexes.length > MAX_NAMED);
  const own = warnings.filter((warning) => !common.includes(warning));
  const blocks = blocksOf(report, own).sort((a, b) => a.index - b.index);
  return [
    `${total} monitors of ${email} in a file of ${format}${format_guessed ? ' (detected)' : ''}: ${countsText(report)}`,
    ...blocks.flatMap(({ head, lines }) => [head, ...lines.map((line) => `    ${line}`)]),
    ...common.map((warning) => `! ${warningText(warning)}${about(warning.indexes, names)}`),
  ]
    .map(textCell)
    .join('\n');
}

function countsText({ created, renamed, replaced, skipped, failed, dry_run }: ImportReport): string {
  const counts: readonly (readonly [number, string])[] = [
    [created.length, 'created'],
    [renamed.length, 'created under another name'],
    [replaced.length, 'replaced'],
    [skipped.length, 'skipped'],
    [failed.length, 'not imported'],
  ];
  const shown = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const text = shown.length === 0 ? 'nothing to import' : shown.join(', ');
  return dry_run ? `${text} (dry run: nothing was changed)` : text;
}

function blocksOf(report: ImportReport, own: readonly Warning[]): Block[] {
  const { created, renamed, replaced, skipped, failed } = report;
  const saying = (index: number) => own.filter(({ indexes }) => indexes.includes(index));
  const made = (entry: Made, head: string): Block => ({
    index: entry.index,
    head,
    lines: madeLines(entry, saying(entry.index), report.format),
  });
  return [
    ...created.map((entry) => made(entry, `+ ${entry.name}`)),
    ...renamed.map((entry) => made(entry, `~ ${entry.name}: renamed from "${entry.renamed_from}"`)),
    ...replaced.map(({ index, name }) => ({
      index,
      head: `~ ${name}: replaced`,
      lines: saying(index).map(warningLine),
    })),
    ...skipped.map(({ index, name, message }) => ({ index, head: `= ${name}: skipped, ${message}`, lines: [] })),
    ...failed.map(({ index, name, message, code }) => ({
      index,
      head: `x ${name ?? `entry ${index}`}: ${message} (${code})`,
      lines: [],
    })),
  ];
}

function madeLines({ heartbeat }: Made, warnings: readonly Warning[], format: ImportReport['format']): string[] {
  if (heartbeat === undefined) return warnings.map(warningLine);
  const old = warnings.find(({ field }) => field === 'pushToken' || field === 'token');
  const token = /^"(.*)" is replaced/.exec(old?.message ?? '')?.[1];
  // clients of Uptime Kuma keep their parameters
  const url = format === 'uptime-kuma' ? heartbeat.url.replace('/hb/', '/api/push/') : heartbeat.url;
  const address = token === undefined ? `check in at ${url}` : `push token ${token} -> ${url}`;
  return [address, ...warnings.filter((warning) => warning !== old).map(warningLine)];
}

function warningLine(warning: Warning): string {
  return `! ${warningText(warning)}`;
}

function warningText({ field, message }: Warning): string {
  return field === null ? message : `${field} ${message}`;
}

function namesOf({ created, renamed, replaced, skipped, failed }: ImportReport): ReadonlyMap<number, string> {
  const entries = [...created, ...renamed, ...replaced, ...skipped, ...failed];
  return new Map(entries.map(({ index, name }) => [index, name ?? `entry ${index}`]));
}

function about(indexes: readonly number[], names: ReadonlyMap<number, string>): string {
  if (indexes.length === 0) return '';
  const some = indexes.slice(0, MAX_NAMED).map((index) => names.get(index) ?? `entry ${index}`);
  const rest = indexes.length - some.length;
  return `: ${some.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
