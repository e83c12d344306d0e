import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { AuditAction } from '../../audit-log/actions.js';
import { queryNamed } from '../../db/named.js';
import type { TimeRange } from '../../http/time-range.js';

/** One entry of the log. */
export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly account_id: string | null;
  readonly user_id: string | null;
  readonly credential_id: string | null;
  readonly address: string | null;
  readonly action: AuditAction;
  readonly subject: string;
  readonly details: Record<string, unknown>;
  readonly request_id: string | null;
}

/** Filter for entries; undefined or null matches any. */
export interface AuditFilter extends TimeRange {
  readonly accountId?: string | undefined;
  /** Id of the object of the act. */
  readonly subject?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** Only entries that are older than the one with this id. */
  readonly beforeId: string | null;
}

/**
 * Greatest difference between `at`, the start of the transaction by the database's clock, and the time of the id, by the clock
 * of a replica.
 */
const ID_TIME_SLACK_MS = 3_600_000;

const COLUMNS = 'id, at, account_id, user_id, credential_id, address, action, subject, details, request_id';

/** Lists at most `limit` entries, newest first. */
export function listAuditRows(db: Knex, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const { accountId, subject, action, fromMs, toMs, beforeId } = filter;
  const conditions = [
    'true',
    ...(accountId === undefined ? [] : ['account_id = :accountId']),
    ...(subject === undefined ? [] : ['subject = :subject']),
    ...(action === undefined ? [] : ['action = :action']),
    ...(beforeId === null ? [] : ['id < :beforeId']),
    // the bounds of the id keep the index from being read to its end
    ...(fromMs === null ? [] : ['at >= :from AND id >= :fromId']),
    ...(toMs === null ? [] : ['at < :to AND id < :toId']),
  ].join(' AND ');
  const sql = `SELECT ${COLUMNS} FROM audit_log WHERE ${conditions} ORDER BY id DESC LIMIT (SELECT :limit::bigint)`;
  return queryNamed<AuditRow>(db, 'audit-log', sql, {
    accountId,
    subject,
    action,
    beforeId,
    from: fromMs === null ? null : new Date(fromMs),
    fromId: fromMs === null ? null : idBound(fromMs - ID_TIME_SLACK_MS),
    to: toMs === null ? null : new Date(toMs),
    toId: toMs === null ? null : idBound(toMs + ID_TIME_SLACK_MS),
    limit,
  });
}

function idBound(instantMs: number): string {
  return idLowerBound(idPrefixes.auditEntry, instantMs);
}

/** Deletes entries that are older than an instant. */
export async function deleteAuditRowsBefore(db: Knex, before: Date): Promise<void> {
  await db('audit_log')
    .where('at', '<', before)
    .where('id', '<', idBound(before.getTime() + ID_TIME_SLACK_MS))
    .delete();
}
