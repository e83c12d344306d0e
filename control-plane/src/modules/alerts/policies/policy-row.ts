import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import type { StoredSuppression, TypedEscalation, TypedRecovery, TypedRule } from './policy-schema.js';

/** Columns of a policy that its owner decides. */
export interface PolicyFields {
  readonly name: string;
  readonly is_enabled: boolean;
  readonly is_default: boolean;
  /** Null if the policy is in the full form. */
  readonly monitor_id: string | null;
  readonly rules: TypedRule[];
  readonly escalation: TypedEscalation;
  readonly on_recovery: TypedRecovery;
  readonly suppression: StoredSuppression;
  readonly depends_on: string[];
}

/** Stored policy. */
export interface PolicyRow extends PolicyFields {
  readonly id: string;
  readonly owner_id: string;
  readonly created_by: string;
  readonly is_test: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A policy as the engine reads it. */
export function policyOf({
  id,
  rules,
  escalation,
  on_recovery,
  suppression,
  depends_on,
}: Pick<PolicyRow, 'id' | 'rules' | 'escalation' | 'on_recovery' | 'suppression' | 'depends_on'>): AlertPolicy {
  return { id, rules, escalation, on_recovery, suppression: { ...suppression, depends_on } };
}
