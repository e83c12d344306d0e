import { durationText } from '@vantage/shared/durations.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import { wrappedRows } from '@vantage/shared/terminal/wrapped-rows.js';
import { instantText } from './instant-text.js';
import { settingWord } from './monitor-settings.js';
import { type Monitor, reasonText, stateOf, toneOf } from './monitors-text.js';
import type { PlaceOf } from './node-places.js';

/** Fields of a monitor by its id that are shown first. */
export interface MonitorDetail extends Monitor {
  readonly state_since: string;
  readonly in_maintenance: boolean;
  readonly assigned_node_ids: readonly string[];
  readonly next_check_at: string | null;
  readonly advisory: {
    /** Setting that leaves the monitor with too few nodes, and the remedy. */
    readonly placement?: { readonly field: string; readonly message: string };
  } | null;
  readonly heartbeat?: {
    readonly url: string;
    readonly state: string;
    readonly last_ping_at: string | null;
    readonly last_ping_ip: string | null;
    readonly last_ping_via: string | null;
    readonly next_expected: readonly string[];
  };
}

/** Fields of a check that are shown. */
export interface Check {
  readonly node_id: string;
  readonly started_at: string;
  readonly success: boolean;
  readonly outcome: string;
  readonly response_ms: number | null;
  readonly error: string | null;
}

interface Seen {
  /** Checks by any nodes, newest first. */
  readonly checks: readonly Check[];
  readonly placeOf: PlaceOf;
  readonly nowMs: number;
}

/** Width of the labels with the gap behind them. */
const MARGIN = 'next check'.length + 2;

/** A monitor for a screen: its state and since when, why, its last checks or its last ping, and when the next one is due. */
export function monitorText(monitor: MonitorDetail, seen: Seen, { width, paint }: Screen): string {
  const head = wrapText(textCell(headOf(monitor, seen.nowMs)), width);
  const room = width - MARGIN;
  const last = monitor.heartbeat === undefined ? checkRows(monitor, seen, room) : pingRows(monitor, seen);
  const lines = [...reasonRow(monitor), ...last].flatMap(([label, texts]) =>
    texts.flatMap((text) => wrapText(text, room)).map((line, i) => `${(i === 0 ? label : '').padEnd(MARGIN)}${line}`),
  );
  return [...head.map((line) => paint(line, toneOf(stateOf(monitor)))), ...lines].join('\n');
}

type Row = readonly [label: string, lines: readonly string[]];

function headOf(monitor: MonitorDetail, nowMs: number): string {
  const { name, state_since: since, in_maintenance: isInMaintenance } = monitor;
  const duration = durationText(nowMs - Date.parse(since));
  const window = isInMaintenance ? ', in a maintenance window' : '';
  return `${name}: ${stateOf(monitor)} for ${duration}, since ${instantText(since, nowMs)}${window}`;
}

function reasonRow(monitor: MonitorDetail): Row[] {
  const reason = monitor.reason === null ? undecidedText(monitor) : reasonText(monitor.reason);
  return reason === null ? [] : [['reason', [textCell(reason)]]];
}

/** Reason why the state of an active monitor is unknown, or null if it is known. */
function undecidedText(monitor: MonitorDetail): string | null {
  if (stateOf(monitor) !== 'unknown') return null;
  return monitor.heartbeat === undefined ? 'fewer nodes than needed have reported' : 'no ping has arrived yet';
}

function checkRows(monitor: MonitorDetail, { checks, placeOf, nowMs }: Seen, room: number): Row[] {
  const newest = new Map<string, Check>();
  for (const check of checks)
    if (monitor.assigned_node_ids.includes(check.node_id) && !newest.has(check.node_id))
      newest.set(check.node_id, check);
  const cells = monitor.assigned_node_ids.map((id) => {
    const check = newest.get(id);
    if (check === undefined) return [placeOf(id), 'none yet'];
    const { outcome, started_at, error, response_ms } = check;
    const detail = error?.replace(/^[a-z_]+: /, '') ?? (response_ms === null ? '' : `${response_ms} ms`);
    return [placeOf(id), outcome, instantText(started_at, nowMs), detail];
  });
  const placement = monitor.advisory?.placement;
  return [
    ...(placement === undefined
      ? []
      : [['note', [textCell(`${settingWord(placement.field)}: ${placement.message}`)]] as const]),
    ['checks', cells.length === 0 ? ['no node checks it'] : wrappedRows(cells, { width: room })],
    ['next check', [dueText(monitor.next_check_at, monitor, nowMs)]],
  ];
}

function pingRows({ heartbeat, ...monitor }: MonitorDetail, { nowMs }: Seen): Row[] {
  if (heartbeat === undefined) return [];
  const { last_ping_at: at, last_ping_ip: ip, last_ping_via: via, next_expected, url } = heartbeat;
  const missed = /^no ping came that was expected at (\S+)$/.exec(monitor.reason ?? '')?.[1];
  const last = at === null ? 'none yet' : `${instantText(at, nowMs)}, from ${ip ?? '-'} by ${via ?? '-'}`;
  return [
    ['last ping', [textCell(last)]],
    [
      'next ping',
      [
        missed === undefined
          ? dueText(next_expected[0] ?? null, monitor, nowMs)
          : `overdue since ${instantText(missed, nowMs)}`,
      ],
    ],
    ['check in', [textCell(url)]],
  ];
}

function dueText(instant: string | null, { status }: Pick<Monitor, 'status'>, nowMs: number): string {
  if (status !== 'active') return `none: the monitor is ${status}`;
  if (instant === null) return 'none is due';
  const waitMs = Date.parse(instant) - nowMs;
  return `${instantText(instant, nowMs)}, ${waitMs < 0 ? `overdue for ${durationText(-waitMs)}` : `in ${durationText(waitMs)}`}`;
}
