import type { CheckReport, MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND, MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { ResultMessage } from '@vantage/shared/protocol/codec.js';

/** Slots that a report covers. */
export interface ReportedSlots {
  readonly monitorId: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

/** Slots that a report of an agent covers; null if it is no report. */
export function slotsOfReport({ kind, resultJson }: ResultMessage): ReportedSlots | null {
  return isReport(kind) ? slotsOfBody(JSON.parse(Buffer.from(resultJson ?? []).toString())) : null;
}

/** Names a report by its node and slots: a node that reports them again creates another one of that name. Null if it is none. */
export function subjectOfSlots(message: ResultMessage, nodeId: string): string | null {
  const slots = slotsOfReport(message);
  return slots === null ? null : nameOf(slots, nodeId);
}

/** The same for a row as `vantage-agent spool export` has it. */
export function subjectOfExported(
  { kind, result }: { readonly kind: string; readonly result: unknown },
  nodeId: string,
): string | null {
  // this program reads only what it wrote
  return isReport(kind) ? nameOf(slotsOfBody(result as CheckReport | MissedReport), nodeId) : null;
}

function isReport(kind: string | null | undefined): boolean {
  return kind === CHECK_KIND || kind === MISSED_KIND;
}

function slotsOfBody(body: CheckReport | MissedReport): ReportedSlots {
  const { monitor_id: monitorId } = body;
  if ('slot_ms' in body) return { monitorId, firstMs: body.slot_ms, lastMs: body.slot_ms, count: 1 };
  return { monitorId, firstMs: body.first_slot_ms, lastMs: body.last_slot_ms, count: body.count };
}

function nameOf({ monitorId, firstMs, lastMs }: ReportedSlots, nodeId: string): string {
  return `${nodeId} of ${monitorId}@${firstMs}-${lastMs}`;
}
