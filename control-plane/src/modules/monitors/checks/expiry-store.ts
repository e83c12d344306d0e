import type { Knex } from 'knex';
import { instantLiteral } from '../../../db/literals.js';

/** Monitor of something that expires, with the expiry that its newest check reports. */
export interface ExpiringMonitor {
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly name: string;
  readonly type: 'ssl_expiry' | 'domain_expiry';
  readonly target: string;
  readonly tags: readonly string[];
  readonly group_id: string | null;
  readonly warn_days: number;
  readonly critical_days: number;
  /** Expiry as the registry writes it, or the certificate of the server or of the authority that ends first. */
  readonly expires_at: string;
}

/**
 * Active monitors of certificates and domains with a check since an instant that found the expiry near: nodes deliver the
 * measurements of checks that did not succeed.
 */
export async function listExpiring(
  db: Knex,
  { sinceMs, afterId, limit }: { readonly sinceMs: number; readonly afterId: string; readonly limit: number },
): Promise<ExpiringMonitor[]> {
  const { rows } = await db.raw<{ rows: ExpiringMonitor[] }>(
    `SELECT m.id, m.owner_id, m.is_test, m.name, m.type, m.target, m.tags, m.group_id, d.expires_at,
       (m.config ->> 'warn_days')::int AS warn_days, (m.config ->> 'critical_days')::int AS critical_days
     FROM monitors m CROSS JOIN LATERAL (
       SELECT coalesce(details #>> '{ends_first,not_after}', details ->> 'not_after', details ->> 'expires_at') AS expires_at FROM check_details
       WHERE monitor_key = m.key AND at > ${instantLiteral(sinceMs)}
         AND coalesce(details #>> '{ends_first,not_after}', details ->> 'not_after', details ->> 'expires_at') IS NOT NULL
       ORDER BY at DESC LIMIT 1
     ) d
     WHERE m.type IN ('ssl_expiry', 'domain_expiry') AND m.status = 'active' AND m.id > ? ORDER BY m.id LIMIT ?`,
    [afterId, limit],
  );
  return rows;
}

/** Records thresholds of a date as published. @returns those that were not recorded before */
export async function insertExpiryNotices(
  trx: Knex,
  monitorId: string,
  { expiresAt, thresholds }: { readonly expiresAt: Date; readonly thresholds: readonly number[] },
): Promise<number[]> {
  const { rows } = await trx.raw<{ rows: { threshold_days: number }[] }>(
    `INSERT INTO expiry_notices (monitor_id, expires_at, threshold_days)
     SELECT m.id, ?, t FROM monitors m, unnest(?::int[]) AS t WHERE m.id = ? ORDER BY t
     ON CONFLICT DO NOTHING RETURNING threshold_days`,
    [expiresAt, [...thresholds], monitorId],
  );
  return rows.map(({ threshold_days: days }) => days);
}
