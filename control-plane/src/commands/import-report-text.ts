import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { ImportReport } from '../modules/monitors/index.js';

/** Entries that a warning names. */
const MAX_NAMED = 5;

/** What became of a file, for people: what needs looking after comes last. */
export function reportText(report: ImportReport, email: string): string {
  const { format, format_guessed, dry_run, total, created, renamed, replaced, skipped, failed, warnings } = report;
  const said = dry_run ? 'would be' : 'are';
  return [
    `${total} monitors of ${email} in a file of ${format}${format_guessed ? ' (told from it)' : ''}:`,
    `${created.length} ${said} new, ${renamed.length} new under another name, ${replaced.length} replaced, ${skipped.length} left as they are, ${failed.length} not imported`,
    ...renamed.map(({ name, renamed_from }) => `renamed: "${renamed_from}" is "${name}"`),
    ...skipped.map(({ index, name, message }) => `skipped: [${index}] "${name}": ${message}`),
    ...[...created, ...renamed].flatMap(({ name, heartbeat }) =>
      heartbeat === undefined ? [] : [`heartbeat: "${name}" is pinged at ${heartbeat.url}`],
    ),
    ...warnings.map(
      ({ message, field, indexes }) => `warning: ${field === null ? '' : `${field} `}${message}${about(indexes)}`,
    ),
    ...failed.map(({ index, name, message, code }) => `failed: [${index}] "${name ?? ''}": ${message} (${code})`),
  ]
    .map(textCell)
    .join('\n');
}

function about(indexes: readonly number[]): string {
  if (indexes.length === 0) return '';
  const more = indexes.length > MAX_NAMED ? `, and ${indexes.length - MAX_NAMED} more` : '';
  return ` [${indexes.slice(0, MAX_NAMED).join(', ')}${more}]`;
}
