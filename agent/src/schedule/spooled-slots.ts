import { type CheckReport, type MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import { reduceCheck } from '@vantage/shared/monitor-state/node-reducer.js';
import { CHECK_KIND, MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import { slotAt } from '@vantage/shared/monitor-state/slots.js';
import { type DecodedResult, decodeResult } from '@vantage/shared/protocol/codec.js';
import { parseJson } from '../measuring/parse-json.js';
import type { Spool } from '../spool/spool.js';
import type { StoredRow, StoredSchedule } from './stored-schedule.js';
import { type WatchedMonitor, watchAgain } from './watched-monitor.js';

// An agent that is killed has kept its progress up to a second ago, or longer on a slow disk; its spool has each report that
// was made since then. So what the spool knows counts, and no slot is told twice.

/** Reports looked through, the newest: what a busy node makes in some seconds. */
const LOOKED_AT = 5000;
const BATCH_ROWS = 1000;
const BATCH_BYTES = 4 * 2 ** 20;
/** More slots of one report than this are not counted one by one; the last of them says how far it came. */
const MAX_COUNTED = 1000;

type Report = CheckReport | MissedReport;

/** What the process before left, with what the newest rows of lane check tell of later slots. */
export async function withSpooled(
  stored: StoredSchedule,
  spool: Pick<Spool, 'read' | 'state'>,
  nodeId: string,
): Promise<StoredSchedule> {
  if (stored.rows.length === 0) return stored;
  const reports = new Map<string, Report[]>(stored.rows.map(({ monitorId }) => [monitorId, []]));
  // a spool that cannot be read tells nothing: at worst a slot is told twice, and the schedule goes on
  const newest = await newestReports(spool).catch(() => []);
  for (const report of newest) reports.get(report.monitor_id)?.push(report);
  const rows = stored.rows.map((row) => withReports(row, reports.get(row.monitorId) ?? [], nodeId));
  return { ...stored, rows };
}

/** Pure. `reports`: of this monitor, in the order in which they were made. */
export function withReports(row: StoredRow, reports: readonly Report[], nodeId: string): StoredRow {
  const own = reports.filter(({ generation }) => generation === row.generation);
  if (own.length === 0) return row;
  const watched = watchAgain(row, nodeId);
  const told = new Set(own.flatMap((report) => slotsOf(report, watched)));
  if (told.size === 0) return row;
  const newest = Math.max(...told);
  const done = Math.max(watched.done ?? newest, newest);
  // all up to the newest were begun or told: the one that is not told was running
  const since = watched.done === null ? Math.min(...told) : watched.done + 1;
  const begun = [
    ...(watched.running === null ? [] : [watched.running]),
    ...range(Math.max(since, done - MAX_COUNTED), done),
  ];
  const running = begun.findLast((slot) => !told.has(slot)) ?? null;
  const checks = own.filter((report) => 'slot_ms' in report).sort((a, b) => a.slot_ms - b.slot_ms);
  const state = checks.reduce(
    (before, { slot_ms: slot, outcome }) => reduceCheck(before, { slot, outcome }, watched.spec.rule),
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

/** What this program wrote is what it reads; what another version of it wrote is passed over. */
function reportsIn({ kind, resultJson }: DecodedResult): Report[] {
  const body = parseJson(Buffer.from(resultJson).toString());
  if (typeof body !== 'object' || body === null) return [];
  if (kind === CHECK_KIND && 'slot_ms' in body && 'outcome' in body) return [body as CheckReport];
  if (kind === MISSED_KIND && 'first_slot_ms' in body && 'last_slot_ms' in body) return [body as MissedReport];
  return [];
}

function slotsOf(report: Report, { grid }: WatchedMonitor): number[] {
  if ('slot_ms' in report) return report.state === null ? [] : [slotAt(report.slot_ms, grid)];
  const last = slotAt(report.last_slot_ms, grid);
  return range(Math.max(slotAt(report.first_slot_ms, grid), last - MAX_COUNTED), last);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
