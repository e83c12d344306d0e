import { type CheckReport, type MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND, MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import { slotAt } from '@vantage/shared/monitor-state/slots.js';
import { type DecodedResult, decodeResult } from '@vantage/shared/protocol/codec.js';
import { parseJson } from '../measuring/parse-json.js';
import type { Spool } from '../spool/spool.js';
import { stateAfter } from './reports.js';
import type { ReportedSchedule, StoredRow, StoredSchedule } from './stored-schedule.js';
import { type WatchedMonitor, watchAgain } from './watched-monitor.js';

// An agent that is killed has stored its progress up to a second ago, or longer on a slow disk; its spool has each
// report since then. Therefore the spool takes precedence, and no slot is reported twice.

/** Reports looked through, the newest: what a busy node makes in some seconds. */
const LOOKED_AT = 5000;
const BATCH_ROWS = 1000;
const BATCH_BYTES = 4 * 2 ** 20;
/** Greatest number of slots of one report that are counted one by one; beyond it only the last of them counts. */
const MAX_COUNTED = 1000;

type Report = CheckReport | MissedReport;

/**
 * The schedule that the previous process left, updated from the newest rows of lane check, which may report later
 * slots.
 */
export async function withSpooled(
  stored: StoredSchedule,
  spool: Pick<Spool, 'read' | 'state'>,
  nodeId: string,
): Promise<ReportedSchedule> {
  // without a readable spool, a slot may at worst be reported twice, and the schedule continues
  return withReported(stored, await newestReports(spool).catch(() => []), nodeId);
}

/** Pure. `reports`: in the order in which they were made. */
export function withReported(stored: StoredSchedule, reports: readonly Report[], nodeId: string): ReportedSchedule {
  const byMonitor = new Map<string, Report[]>(stored.rows.map(({ monitorId }) => [monitorId, []]));
  const reportedMs = new Map<string, number>();
  for (const report of reports) {
    const { monitor_id: monitorId } = report;
    byMonitor.get(monitorId)?.push(report);
    const slotMs = lastSlotMsOf(report);
    if (slotMs !== null) reportedMs.set(monitorId, Math.max(slotMs, reportedMs.get(monitorId) ?? slotMs));
  }
  const rows = stored.rows.map((row) => withReports(row, byMonitor.get(row.monitorId) ?? [], nodeId));
  return { ...stored, rows, reportedMs };
}

/** `reports`: of this monitor. */
function withReports(row: StoredRow, reports: readonly Report[], nodeId: string): StoredRow {
  const own = reports.filter(({ generation }) => generation === row.generation);
  if (own.length === 0) return row;
  const watched = watchAgain(row, nodeId);
  const reported = new Set(own.flatMap((report) => slotsOf(report, watched)));
  if (reported.size === 0) return row;
  const newest = Math.max(...reported);
  const done = Math.max(watched.done ?? newest, newest);
  // all slots up to the newest were started or reported: one that was not reported was running
  const since = watched.done === null ? Math.min(...reported) : watched.done + 1;
  const begun = [
    ...(watched.running === null ? [] : [watched.running]),
    ...range(Math.max(since, done - MAX_COUNTED), done),
  ];
  const running = begun.findLast((slot) => !reported.has(slot)) ?? null;
  const checks = own.filter(isOfGrid).sort((a, b) => a.slot_ms - b.slot_ms);
  const state = checks.reduce(
    (before, { slot_ms: slotMs, outcome, error }) => stateAfter(before, { slotMs, outcome, error }, watched.spec.rule),
    watched.state,
  );
  return { ...row, done, running, stateJson: JSON.stringify(state) };
}

async function newestReports(spool: Pick<Spool, 'read' | 'state'>): Promise<Report[]> {
  const found: Report[] = [];
  const { last } = spool.state().check;
  for (let after = Math.max(0, last - LOOKED_AT); after < last; ) {
    const rows = await spool.read('check', after, BATCH_ROWS, BATCH_BYTES);
    for (const { payload } of rows) found.push(...reportsIn(decodeResult(payload)));
    after = rows.at(-1)?.sequence ?? last;
  }
  return found;
}

/** Reads the reports in a result. Only what this program's version writes is read; other reports are ignored. */
function reportsIn({ kind, resultJson }: DecodedResult): Report[] {
  const body = parseJson(Buffer.from(resultJson).toString());
  if (typeof body !== 'object' || body === null) return [];
  if (kind === CHECK_KIND && 'slot_ms' in body && 'outcome' in body) return [body as CheckReport];
  if (kind === MISSED_KIND && 'first_slot_ms' in body && 'last_slot_ms' in body) return [body as MissedReport];
  return [];
}

/** A check of a slot, not a requested one. */
function isOfGrid(report: Report): report is CheckReport {
  return 'slot_ms' in report && report.state !== null;
}

function lastSlotMsOf(report: Report): number | null {
  if ('last_slot_ms' in report) return report.last_slot_ms;
  return isOfGrid(report) ? report.slot_ms : null;
}

function slotsOf(report: Report, { grid }: WatchedMonitor): number[] {
  if ('slot_ms' in report) return isOfGrid(report) ? [slotAt(report.slot_ms, grid)] : [];
  const last = slotAt(report.last_slot_ms, grid);
  return range(Math.max(slotAt(report.first_slot_ms, grid), last - MAX_COUNTED), last);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
