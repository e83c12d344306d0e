import {
  type CheckReport,
  CheckReportSchema,
  type MissedReport,
  MissedReportSchema,
  NodeStateSchema,
} from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND, MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import { MAX_DETAILS_BYTES } from '@vantage/shared/monitor-types/check-details.js';
import type { ResultMessage } from '@vantage/shared/protocol/codec.js';
import { parseDelivered } from '@vantage/shared/protocol/delivered-json.js';
import { isStorableText } from '@vantage/shared/text.js';
import { compileTest } from '@vantage/shared/validation.js';
import { CHECK_DAYS_BACK } from '../../../db/partitions.js';
import { ownKind, type ResultKind } from '../../../ingest/index.js';
import type { MonitorCounts } from '../definition/monitor-counts.js';
import { type CheckDaysOf, storeChecks, type TakenCheck } from './check-store.js';
import { storeMissed } from './missed-store.js';
import type { ReportAllowance } from './report-allowance.js';
import { noteUplinkLosses } from './uplink-losses.js';

const MIN_INTERVAL_MS = 1_000;
/** Greatest distance of a slot into the future, in milliseconds. */
const MAX_AHEAD_MS = 120_000;
/** Greatest age of a slot, in milliseconds: older ones have no partition. */
const MAX_AGE_MS = CHECK_DAYS_BACK * 86_400_000;

const isCheck = compileTest(CheckReportSchema);
const isMissed = compileTest(MissedReportSchema);
const isNodeState = compileTest(NodeStateSchema);

interface MonitorKindsOptions {
  readonly keptFor: CheckDaysOf;
  /** Called when monitors are due for judgment. */
  readonly onDue: () => void;
  readonly counts: Pick<MonitorCounts, 'countCheck' | 'countMissed'>;
  /** Limits how many reports of a node are stored. */
  readonly allowance: Pick<ReportAllowance, 'fitting' | 'spend'>;
}

/** Kinds of results that nodes deliver about monitors. */
export function monitorKinds({ keptFor, onDue, counts, allowance }: MonitorKindsOptions): ResultKind[] {
  const checks = ownKind<TakenCheck>({
    name: CHECK_KIND,
    lane: 'check',
    parse(message, { nowMs }) {
      const report = parseDelivered(message.resultJson ?? new Uint8Array());
      if (!isCheck(report)) return { reject: 'malformed' };
      const body = withDetails(report as CheckReport, message);
      if (body.error !== null && !isStorableText(body.error.code + body.error.message)) return { reject: 'malformed' };
      if (!isWithin(body.slot_ms, nowMs) || body.through_ms > nowMs + MAX_AHEAD_MS) return { reject: 'out_of_range' };
      if ((body.error === null) !== (body.outcome === 'ok')) return { reject: 'malformed' };
      return { body, probeType: CHECK_KIND, outcome: body.outcome, resultJson: textOf(message) };
    },
    async store(trx, reports) {
      const rows = await allowance.fitting(trx, reports);
      const due = rows.length === 0 ? [] : await storeChecks(trx, rows, keptFor);
      return () => {
        allowance.spend(rows);
        for (const { body } of rows) counts.countCheck(body.outcome);
        if (due.length > 0) onDue();
      };
    },
  });
  const missed = ownKind<MissedReport>({
    name: MISSED_KIND,
    lane: 'check',
    parse(message, { nowMs }) {
      const report = parseDelivered(message.resultJson ?? new Uint8Array());
      if (!isMissed(report)) return { reject: 'malformed' };
      const body = report as MissedReport;
      if (!isRunOfSlots(body) || !isWithin(body.last_slot_ms, nowMs)) return { reject: 'out_of_range' };
      if (body.first_slot_ms < nowMs - MAX_AGE_MS) return { reject: 'out_of_range' };
      return { body, probeType: MISSED_KIND, outcome: body.reason, resultJson: textOf(message) };
    },
    async store(trx, reports) {
      const rows = await allowance.fitting(trx, reports);
      if (rows.length === 0) return () => {};
      await storeMissed(trx, rows);
      await noteUplinkLosses(trx, rows);
      return () => {
        allowance.spend(rows);
        for (const { body } of rows) counts.countMissed(body.reason, body.count);
      };
    },
  });
  return [checks, missed];
}

/** True if the count of slots is possible between the two instants; no interval is shorter than a second. */
function isRunOfSlots({ first_slot_ms: firstMs, last_slot_ms: lastMs, count }: MissedReport): boolean {
  return count === 1 ? firstMs === lastMs : lastMs - firstMs >= (count - 1) * MIN_INTERVAL_MS;
}

/** The report with its details; invalid or too large details are dropped, since the check counts without them. */
function withDetails(report: CheckReport, { detailsJson }: ResultMessage): TakenCheck {
  if (!detailsJson?.length || detailsJson.length > MAX_DETAILS_BYTES) return report;
  const details = parseDelivered(detailsJson);
  const isObject = typeof details === 'object' && details !== null && !Array.isArray(details);
  return isObject ? { ...report, details: JSON.stringify(details) } : report;
}

/** Parses the state of a monitor that nodes deliver before their backlog; null if it is not one. */
export function parseNodeState(body: unknown): unknown {
  return isNodeState(body) ? body : null;
}

/** Text of a result, for a dead letter. */
function textOf({ resultJson }: ResultMessage): string {
  return Buffer.from(resultJson ?? []).toString();
}

function isWithin(slotMs: number, nowMs: number): boolean {
  return slotMs <= nowMs + MAX_AHEAD_MS && slotMs >= nowMs - MAX_AGE_MS;
}
