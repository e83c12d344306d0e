import type { Static } from 'typebox';
import { isCatchAll } from './policy-defaults.js';
import type { PolicyRow } from './policy-row.js';
import type { AlertPolicySchema } from './policy-schema.js';

/** A policy as the API shows it. */
export function policyView(row: PolicyRow): Static<typeof AlertPolicySchema> {
  return {
    id: row.id,
    user_id: row.owner_id,
    is_test: row.is_test,
    name: row.name,
    enabled: row.is_enabled,
    is_default: row.is_default,
    monitor_id: row.monitor_id,
    channel_ids:
      row.monitor_id !== null || (row.is_default && isCatchAll(row.rules))
        ? row.rules.flatMap(({ channels }) => channels.map(({ channel_id: channelId }) => channelId))
        : null,
    rules: row.rules,
    escalation: row.escalation,
    on_recovery: row.on_recovery,
    suppression: { ...row.suppression, depends_on: row.depends_on },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
