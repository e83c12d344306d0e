import { durationText } from '@vantage/shared/durations.js';
import { msCell } from '@vantage/shared/probe-types/cells.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';
import { tableInstant } from './instant-text.js';
import { reasonText, toned } from './monitors-text.js';

/** Fields of an event that are shown. */
export interface MonitorEvent {
  readonly monitor_id: string;
  readonly type: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly duration_sec: number | null;
  readonly reason: string | null;
}

/** Fields of a ping that are shown. */
export interface Ping {
  readonly at: string;
  readonly kind: string;
  readonly exit_code: number | null;
  readonly lacks_text: boolean;
  readonly duration_ms: number | null;
  readonly ip: string;
  readonly via: string;
  readonly body: string | null;
}

interface EventContext {
  /** Name of a monitor, or null where all events are of one. */
  readonly nameOf: ((monitorId: string) => string) | null;
  readonly nowMs: number;
}

/** Events as a table for a screen. */
export function eventsText(events: readonly MonitorEvent[], { nameOf, nowMs }: EventContext, screen: Screen): string {
  if (events.length === 0) return 'no events';
  const titles = [...(nameOf === null ? [] : ['MONITOR']), 'STATE', 'SINCE (UTC)', 'DURATION', 'REASON'];
  const rows = events.map(({ monitor_id, type, started_at, duration_sec, reason }): Cell[] => [
    ...(nameOf === null ? [] : [nameOf(monitor_id)]),
    duration_sec === null ? toned(type) : type,
    tableInstant(started_at),
    duration_sec === null
      ? `${durationText(nowMs - Date.parse(started_at))}, lasts`
      : durationText(duration_sec * 1_000),
    reason === null ? '' : reasonText(reason),
  ]);
  return tableLines({ columns: titles.map((title) => ({ title })), rows }, screen).join('\n');
}

/** Pings as a table for a screen; one without room leaves out the addresses. */
export function pingsText(pings: readonly Ping[], screen: Screen): string {
  if (pings.length === 0) return 'no pings';
  const rows = pings.map(({ at, kind, exit_code, lacks_text, duration_ms, ip, via, body }): Cell[] => [
    tableInstant(at),
    kindCell({ kind, exit_code, lacks_text }),
    duration_ms === null ? '-' : msCell(duration_ms),
    `${ip} (${via})`,
    body?.trim().split('\n', 1)[0] ?? '',
  ]);
  const columns = ['TIME (UTC)', 'KIND', 'TOOK', 'FROM', 'BODY'].map((title) => ({
    title,
    isElsewhere: title === 'FROM',
  }));
  return tableLines({ columns, rows }, screen).join('\n');
}

function kindCell({
  kind,
  exit_code: code,
  lacks_text: lacksText,
}: Pick<Ping, 'kind' | 'exit_code' | 'lacks_text'>): Cell {
  if (lacksText) return { text: 'lacks its text', tone: 'bad' };
  if (code !== null) return { text: `exit ${code}`, tone: code === 0 ? 'good' : 'bad' };
  if (kind === 'fail') return { text: kind, tone: 'bad' };
  return kind === 'success' ? { text: kind, tone: 'good' } : kind;
}
