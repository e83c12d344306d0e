import {
  type CheckReport,
  type MissedReason,
  type MissedReport,
  type NodeStateReport,
} from '@vantage/shared/monitor-state/check-report.js';
import {
  type NodeState,
  passCheck,
  reduceCheck,
  type StreakRule,
  streakOf,
} from '@vantage/shared/monitor-state/node-reducer.js';
import { CHECK_KIND, MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { MissedSlots } from '@vantage/shared/monitor-state/slots.js';
import type { CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import type { WatchedState } from '../link/state-sources.js';
import { slotMsOf, type WatchedMonitor } from './watched-monitor.js';

const MAX_MS = 1e9;
const MAX_MESSAGE_LENGTH = 1000;

/** A result of the schedule on its way to the spool; `detailsJson`: what was measured, null where that is not reported. */
export type SlotReport = { readonly detailsJson: string | null } & (
  | { readonly kind: typeof CHECK_KIND; readonly body: CheckReport }
  | { readonly kind: typeof MISSED_KIND; readonly body: MissedReport }
);

/** One check of a slot, and what the node says after it: `watched.state` counts it already. Times: server time. */
export function checkReport(
  watched: WatchedMonitor,
  check: {
    readonly slotMs: number;
    readonly lateMs: number;
    readonly judgment: CheckJudgment;
    readonly detailsJson: string | null;
    readonly throughMs: number;
  },
): SlotReport {
  const body = {
    ...assigned(watched),
    slot_ms: check.slotMs,
    late_ms: bounded(check.lateMs),
    ...judged(check.judgment),
    state: describeState(watched.state),
    through_ms: check.throughMs,
  };
  return { kind: CHECK_KIND, body, detailsJson: check.detailsJson };
}

/** One requested check, outside of the grid. Times: server time. */
export function askedReport(
  watched: WatchedMonitor,
  check: {
    readonly request: string;
    readonly beganMs: number;
    readonly judgment: CheckJudgment;
    readonly detailsJson: string | null;
    readonly throughMs: number;
  },
): SlotReport {
  const body = {
    ...assigned(watched),
    slot_ms: Math.floor(check.beganMs),
    late_ms: 0,
    ...judged(check.judgment),
    request: check.request,
    state: null,
    through_ms: check.throughMs,
  };
  return { kind: CHECK_KIND, body, detailsJson: check.detailsJson };
}

/** A run of slots that were not run. */
export function missedReport(
  watched: WatchedMonitor,
  { first, last }: MissedSlots,
  { reason, throughMs }: { readonly reason: MissedReason; readonly throughMs: number },
): SlotReport {
  const body = {
    ...assigned(watched),
    first_slot_ms: slotMsOf(watched, first),
    last_slot_ms: slotMsOf(watched, last),
    count: last - first + 1,
    reason,
    through_ms: throughMs,
  };
  return { kind: MISSED_KIND, body, detailsJson: null };
}

/** Current state of a monitor on this node; null before its first check. */
export function newestState({ assignment: { monitorId, generation }, state }: WatchedMonitor): WatchedState | null {
  if (state.slot === null) return null;
  const stateJson = JSON.stringify(describeState(state));
  return { kind: CHECK_KIND, subject: monitorId, generation, slotMs: state.slot, stateJson };
}

/** A check that could not be made says nothing of its target. */
const undecisive: ReadonlySet<string> = new Set(['not_supported', 'overload', 'internal', 'cancelled']);

/** The state in which a node sees a monitor after a check of a slot. */
export function stateAfter(
  state: NodeState,
  check: {
    readonly slotMs: number;
    readonly outcome: CheckReport['outcome'];
    readonly error: { readonly code: string } | null;
  },
  rule: StreakRule,
): NodeState {
  const { slotMs: slot, outcome, error } = check;
  if (error !== null && undecisive.has(error.code)) return passCheck(state, slot);
  return reduceCheck(state, { slot, outcome }, rule);
}

function describeState(state: NodeState): NodeStateReport | null {
  if (state.since === null) return null;
  return { verdict: state.verdict, since_ms: state.since, streak: Math.max(1, streakOf(state)) };
}

function assigned({ assignment: { monitorId, generation } }: WatchedMonitor) {
  return { monitor_id: monitorId, generation };
}

function judged({ outcome, responseMs, statusCode, error }: CheckJudgment) {
  return {
    outcome,
    response_ms: responseMs === null ? null : bounded(responseMs),
    status_code: statusCode,
    error: error && { code: error.code, message: error.message.slice(0, MAX_MESSAGE_LENGTH) },
  };
}

function bounded(ms: number): number {
  return Math.min(MAX_MS, Math.max(0, Math.round(ms * 1000) / 1000));
}
