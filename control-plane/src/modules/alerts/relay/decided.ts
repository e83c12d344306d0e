import { isDeepStrictEqual } from 'node:util';
import type { AlertState } from '@vantage/shared/alerts/alert.js';
import type { Decision } from '@vantage/shared/alerts/decision.js';
import { nextStepAt } from '@vantage/shared/alerts/escalation.js';
import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { type AlertRow, columnsOfState } from '../events/alert-row.js';

/** Monitor of an alert, as its record keeps it. */
export interface MonitorCopy {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly tags: readonly string[];
  readonly groupId: string | null;
}

/** Policy of an alert, with what is not the engine's concern. */
export interface NamedPolicy {
  readonly policy: AlertPolicy;
  readonly name: string;
}

/** Circumstances of trouble, for people; null if the trigger had none. */
export interface TroubleDetails {
  readonly reason: string | null;
  readonly affectedNodes: readonly string[];
}

/** Subject of a decision: a monitor and one of its policies. */
export interface Subject {
  readonly ownerId: string;
  readonly isTest: boolean;
  readonly monitor: MonitorCopy;
  /** Null if it is gone, disabled or does not apply; the stored alert has its id and name. */
  readonly policy: NamedPolicy | null;
  /** Stored alert; null if there is none. */
  readonly alert: AlertRow | null;
  /** State that the decision is about; that of `alert`, unless messages were lost since it was stored. */
  readonly state: AlertState | null;
  readonly details: TroubleDetails | null;
  /** True if a user resolves the alert while the monitor may not be up. */
  readonly isResolvedByUser: boolean;
}

/** A decision with its subject, and the alert as it is stored afterwards. */
export interface Decided {
  readonly decision: Decision;
  /** State before the decision; null if the alert is new. */
  readonly before: AlertState | null;
  readonly policy: NamedPolicy | null;
  readonly row: AlertRow;
  /** Instant that is to be marked for a look; null if there is none, or it is marked already. */
  readonly markAtMs: number | null;
}

/** Least time until an alert is looked at again. */
const LEAST_WAIT_MS = 1_000;

/** The alert as it is stored after a decision; null if there is none, or it does not change. */
export function afterDecision(subject: Subject, decision: Decision, nowMs: number): Decided | null {
  const { alert: state, timeline } = decision;
  const before = timeline[0]?.what === 'opened' ? null : subject.alert;
  const policyId = subject.policy?.policy.id ?? subject.alert?.policy_id;
  const policyName = subject.policy?.name ?? subject.alert?.policy_name;
  if (state === null || policyId === undefined || policyName === undefined) return null;
  const lookAt = decision.lookAtMs === null ? null : new Date(decision.lookAtMs);
  const isMarked = lookAt === null || (lookAt.getTime() === before?.look_at?.getTime() && lookAt.getTime() > nowMs);
  const { monitor, details, ownerId, isTest } = subject;
  if (
    before !== null &&
    isMarked &&
    isDeepStrictEqual(before.state, state) &&
    lookAt?.getTime() === before.look_at?.getTime() &&
    // by these a silence finds messages on their way
    isDeepStrictEqual([before.monitor_tags, before.monitor_group_id], [monitor.tags, monitor.groupId])
  )
    return null;
  const policy = subject.policy?.policy ?? null;
  const nextMs = policy === null ? null : nextStepAt(state.escalation, policy.escalation);
  return {
    decision,
    before: before === null ? null : subject.state,
    policy: subject.policy,
    markAtMs: isMarked ? null : Math.max(lookAt.getTime(), nowMs + LEAST_WAIT_MS),
    row: {
      id: before?.id ?? newId(idPrefixes.alertEvent, nowMs),
      owner_id: ownerId,
      is_test: isTest,
      policy_id: policyId,
      policy_name: policyName,
      monitor_id: monitor.id,
      monitor_name: monitor.name,
      monitor_type: monitor.type,
      monitor_target: monitor.target,
      monitor_tags: monitor.tags,
      monitor_group_id: monitor.groupId,
      ...columnsOfState(state),
      reason: details === null ? (before?.reason ?? null) : details.reason,
      affected_nodes: details === null ? (before?.affected_nodes ?? []) : details.affectedNodes,
      next_step_at: nextMs === null ? null : new Date(nextMs),
      awaits_up: (before?.awaits_up ?? false) || subject.isResolvedByUser,
      changes: (before?.changes ?? 0) + 1,
      look_at: lookAt,
      group_key: before?.group_key ?? null,
    },
  };
}

/** The monitor of a stored alert. */
export function monitorCopy(row: AlertRow): MonitorCopy {
  return {
    id: row.monitor_id,
    name: row.monitor_name,
    type: row.monitor_type,
    target: row.monitor_target,
    tags: row.monitor_tags,
    groupId: row.monitor_group_id,
  };
}
