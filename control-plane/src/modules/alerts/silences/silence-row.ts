import type { AlertSeverity } from '@vantage/shared/alerts/policy.js';
import type { Static } from 'typebox';
import type { ResourceRow } from '../../../http/resource/form.js';
import type { MonitorScopeType } from '../../monitors/index.js';
import { type Silence, silenceStatus } from './silence.js';
import type { AlertSilenceSchema } from './silence-schema.js';

/** Columns of a silence that its owner decides. */
export interface SilenceFields {
  readonly scope_type: MonitorScopeType;
  readonly scope_ids: string[];
  readonly severities: AlertSeverity[];
  readonly reason: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
}

/** Stored silence. */
export type SilenceRow = ResourceRow & SilenceFields & { readonly updated_at: Date };

/** A silence as decisions read it. */
export function silenceIn(row: Omit<SilenceRow, 'reason'>): Silence {
  return {
    id: row.id,
    isTest: row.is_test,
    scope: row.scope_type,
    scopeIds: new Set(row.scope_ids),
    severities: row.severities,
    startsAtMs: row.starts_at.getTime(),
    endsAtMs: row.ends_at.getTime(),
  };
}

/** A silence as the API shows it. */
export function silenceView(row: SilenceRow, nowMs: number): Static<typeof AlertSilenceSchema> {
  const [only = null, ...others] = row.scope_type === 'monitor' ? row.scope_ids : [];
  return {
    id: row.id,
    user_id: row.created_by,
    is_test: row.is_test,
    monitor_id: others.length === 0 ? only : null,
    scope_type: row.scope_type,
    scope_ids: row.scope_ids,
    severities: row.severities,
    reason: row.reason,
    starts_at: row.starts_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    status: silenceStatus({ startsAtMs: row.starts_at.getTime(), endsAtMs: row.ends_at.getTime() }, nowMs),
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
