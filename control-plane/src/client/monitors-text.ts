import { durationText } from '@vantage/shared/durations.js';
import type { Tone } from '@vantage/shared/terminal/colours.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';

/** Fields of a monitor that lists show; the API has more. */
export interface Monitor {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly interval_s: number;
  readonly status: string;
  readonly current_status: string;
  readonly uptime_percent: number | null;
  /** Reason of the state, or null. */
  readonly reason: string | null;
  readonly config?: { readonly mode?: string; readonly cron_expr?: string };
}

const tones: Readonly<Record<string, Tone>> = {
  up: 'good',
  ok: 'good',
  down: 'bad',
  failed: 'bad',
  degraded: 'warning',
};

/**
 * Monitors as a table for a screen, with a column for reasons if one has a reason; a screen without room leaves out the
 * targets then, and the ids and the intervals.
 */
export function monitorsText(monitors: readonly Monitor[], screen: Screen): string {
  const hasReasons = monitors.some(({ reason }) => reason);
  const columns = [
    ...['NAME', 'STATUS', 'TYPE', 'UPTIME'].map((title) => ({ title })),
    ...['INTERVAL', 'ID'].map((title) => ({ title, isElsewhere: true })),
    { title: 'TARGET', isElsewhere: hasReasons },
    ...(hasReasons ? [{ title: 'REASON' }] : []),
  ];
  const rows = monitors.map(({ name, type, uptime_percent: uptime, id, target, reason, ...monitor }): Cell[] => [
    name,
    toned(stateOf(monitor)),
    type,
    uptime === null ? '-' : `${Number(uptime.toFixed(2))} %`,
    rhythmOf(monitor),
    id,
    // of a job, the beginning of its token
    type === 'heartbeat' ? '-' : target,
    ...(hasReasons ? [reason ? reasonText(reason) : ''] : []),
  ]);
  return tableLines({ columns, rows }, screen).join('\n');
}

/** A reason in the words of alert messages, with instants for people: `2 of 3 nodes report: connection refused`. */
export function reasonText(reason: string): string {
  return reason
    .replace(/^(\d+ of \d+ nodes): (?:[a-z_]+: )?/, '$1 report: ')
    .replace(/\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z\b/g, '$1 $2 UTC');
}

/** Tone of a state or an outcome. */
export function toneOf(state: string): Tone | null {
  return tones[state] ?? null;
}

/** A state or an outcome, coloured by its meaning. */
export function toned(text: string): Cell {
  const tone = toneOf(text);
  return tone === null ? text : { text, tone };
}

/** State that matters to a person: an inactive monitor has no health. */
export function stateOf({ status, current_status }: Pick<Monitor, 'status' | 'current_status'>): string {
  return status === 'active' ? current_status : status;
}

/** Interval; a job that follows the clock has none of one length. */
function rhythmOf({ interval_s, config }: Pick<Monitor, 'interval_s' | 'config'>): string {
  return config?.mode === 'cron' && config.cron_expr !== undefined
    ? config.cron_expr
    : durationText(interval_s * 1_000);
}
