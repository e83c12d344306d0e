import type { PolicyFields } from './policy-row.js';
import type { TypedChoice, TypedRule } from './policy-schema.js';

/** Rule that matches every alert. */
export function catchAll(channels: TypedChoice[]): TypedRule {
  return {
    match: { severity: [], tags_any: [], time_window: null },
    channels,
    delay_sec: 0,
    repeat: { enabled: false, interval_sec: 14_400, max_count: 10 },
  };
}

/** True if a policy has one rule, which matches every alert. */
export function isCatchAll([rule, ...others]: readonly TypedRule[]): boolean {
  if (rule === undefined || others.length > 0) return false;
  const { severity, tags_any: tags, time_window: window } = rule.match;
  return severity.length === 0 && tags.length === 0 && window === null;
}

/** Fields of a new policy before the request is applied. */
export const blankPolicy = {
  is_enabled: true,
  is_default: false,
  monitor_id: null,
  rules: [],
  escalation: { steps: [], repeat: 0, ack_timeout_sec: 0 },
  on_recovery: { notify: true, delay_sec: 0, channels: [] },
  suppression: { after_sec: 0, quiet_hours: [], flapping: 'notice', no_data_after_sec: 900 },
  depends_on: [],
} satisfies Partial<PolicyFields>;

/** Name of the default policy until it is renamed. */
export const DEFAULT_NAME = 'Default';

/** Parts of the default policy of a new account. NOTE: in step with the migration 0005-alert-policies. */
export function defaultPolicy(defaultChannel: TypedChoice): PolicyFields {
  return { ...blankPolicy, name: DEFAULT_NAME, is_default: true, rules: [catchAll([defaultChannel])] };
}
