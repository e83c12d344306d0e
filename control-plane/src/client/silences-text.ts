import { durationText } from '@vantage/shared/durations.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';
import { tableInstant } from './instant-text.js';

/** Fields of a silence that are shown. */
export interface Silence {
  readonly id: string;
  readonly monitor_id: string | null;
  readonly scope_type: string;
  readonly scope_ids: readonly string[];
  readonly reason: string;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly status: string;
}

interface SilenceContext {
  /** Name of a monitor. */
  readonly nameOf: (monitorId: string) => string;
  readonly nowMs: number;
}

/** Silences as a table for a screen; one without room leaves out the ids. */
export function silencesText(silences: readonly Silence[], { nameOf, nowMs }: SilenceContext, screen: Screen): string {
  const titles = ['OF', 'STATE', 'UNTIL (UTC)', 'LEFT', 'ID', 'REASON'];
  const rows = silences.map((silence): Cell[] => [
    scopeText(silence, nameOf),
    silence.status,
    tableInstant(silence.ends_at),
    durationText(Date.parse(silence.ends_at) - nowMs),
    silence.id,
    silence.reason,
  ]);
  const columns = titles.map((title) => ({ title, isElsewhere: title === 'ID' }));
  return tableLines({ columns, rows }, screen).join('\n');
}

function scopeText({ scope_type: type, scope_ids: ids }: Silence, nameOf: (id: string) => string): string {
  if (type === 'all') return 'all monitors';
  return type === 'monitor' ? ids.map(nameOf).join(', ') : `${type} ${ids.join(', ')}`;
}
