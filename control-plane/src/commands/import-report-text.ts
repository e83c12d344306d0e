import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { ImportReport } from '../modules/monitors/index.js';

/** Entries that a warning names. */
const MAX_NAMED = 5;

/** Report of an import, for people; items that need attention come last. */
export function reportText(report: ImportReport, email: string): string {
  const { format, format_guessed, dry_run, total, created, renamed, replaced, skipped, failed, warnings } = report;
  const were = dry_run ? 'would be' : 'were';
  return [
    `${total} monitors of ${email} in a file of ${format}${format_guessed ? ' (detected)' : ''}:`,
    `${created.length} ${were} created, ${renamed.length} created under another name, ${replaced.length} replaced, ${skipped.length} skipped, ${failed.length} not imported`,
    ...renamed.map(({ name, renamed_from }) => `renamed: "${renamed_from}" to "${name}"`),
    ...skipped.map(({ index, name, message }) => `skipped: [${index}] "${name}": ${message}`),
    ...[...created, ...renamed].flatMap(({ name, heartbeat }) =>
      heartbeat === undefined ? [] : [`heartbeat: check-ins for "${name}" go to ${heartbeat.url}`],
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
