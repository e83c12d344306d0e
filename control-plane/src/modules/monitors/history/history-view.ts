import type { Cell } from './bars.js';
import type { MonitorBar, TimeLine, UptimeOfRange } from './history.js';
import type { ResponseTimes } from './timeseries.js';
import { percentOf } from './uptime.js';

/** Uptime of a range as its owner sees it. */
export function uptimeView({ fromMs, toMs, watchedMs, downMs, events, nodes }: UptimeOfRange) {
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    uptime_percent: percentOf({ watchedMs, downMs }),
    downtime_sec: Math.round(downMs / 1_000),
    watched_sec: Math.round(watchedMs / 1_000),
    events,
    nodes: nodes.map(({ node_id, checks, failed }) => ({
      node_id,
      checks,
      failed,
      success_percent: (100 * (checks - failed)) / checks,
    })),
  };
}

/** Bar of a monitor as its owner sees it: lengths of time in whole seconds. */
export function barView({ id, fromMs, cellMs, uptime, cells, responseMs }: MonitorBar) {
  return {
    monitor_id: id,
    from: new Date(fromMs).toISOString(),
    step_s: cellMs / 1_000,
    uptime_percent: percentOf(uptime),
    bar: cells.map(inSeconds),
    response_ms: responseMs.map((ms) => (ms === null ? null : Math.round(ms * 10) / 10)),
  };
}

function inSeconds({ up, degraded, down, unknown, maintenance }: Cell): Cell {
  const seconds = (ms: number) => Math.round(ms / 1_000);
  return {
    up: seconds(up),
    degraded: seconds(degraded),
    down: seconds(down),
    unknown: seconds(unknown),
    maintenance: seconds(maintenance),
  };
}

const noTimes = { avg: null, min: null, max: null, p50: null, p95: null, p99: null };
const noCounts = { ok: null, degraded: null, failed: null, missed: null };

/** Time series as its owner sees it. */
export function timeLineView(line: TimeLine) {
  const { fromMs, toMs, step } = line;
  const common = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), step };
  if (line.metric === 'checks') {
    const points = line.points.map(({ atMs, value }) => ({ at: new Date(atMs).toISOString(), ...(value ?? noCounts) }));
    return { ...common, metric: line.metric, points };
  }
  const points = line.points.map(({ atMs, value }) => {
    return { at: new Date(atMs).toISOString(), ...(value === null ? noTimes : rounded(value)) };
  });
  return { ...common, metric: line.metric, points };
}

/** Rounds to microseconds, the precision of the measurement. */
function rounded({ avg, min, max, p50, p95, p99 }: ResponseTimes): ResponseTimes {
  return { avg: micros(avg), min: micros(min), max: micros(max), p50: micros(p50), p95: micros(p95), p99: micros(p99) };
}

function micros(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
