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
  readonly config?: { readonly mode?: string; readonly cron_expr?: string };
}

const tones: Readonly<Record<string, Tone>> = {
  up: 'good',
  ok: 'good',
  down: 'bad',
  failed: 'bad',
  degraded: 'warning',
};

/** Monitors as a table for a screen; one without room leaves out the ids, then the intervals. */
export function monitorsText(monitors: readonly Monitor[], screen: Screen): string {
  const titles = ['NAME', 'STATUS', 'TYPE', 'UPTIME', 'INTERVAL', 'ID', 'TARGET'];
  const rows = monitors.map(({ name, type, uptime_percent: uptime, id, target, ...monitor }): Cell[] => [
    name,
    toned(stateOf(monitor)),
    type,
    uptime === null ? '-' : `${Number(uptime.toFixed(2))} %`,
    rhythmOf(monitor),
    id,
    target,
  ]);
  const columns = titles.map((title) => ({ title, isElsewhere: title === 'INTERVAL' || title === 'ID' }));
  return tableLines({ columns, rows }, screen).join('\n');
}

/** A state or an outcome, coloured by its meaning. */
export function toned(text: string): Cell {
  const tone = tones[text];
  return tone === undefined ? text : { text, tone };
}

/** Interval; a job that follows the clock has none of one length. */
function rhythmOf({ interval_s, config }: Pick<Monitor, 'interval_s' | 'config'>): string {
  return config?.mode === 'cron' && config.cron_expr !== undefined ? config.cron_expr : `${interval_s} s`;
}

/** State that matters to a person: an inactive monitor has no health. */
function stateOf({ status, current_status }: Pick<Monitor, 'status' | 'current_status'>): string {
  return status === 'active' ? current_status : status;
}
