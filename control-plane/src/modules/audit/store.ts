import { idLowerBound, idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import type { TimeRange } from '../../http/time-range.js';
import type { AuditAction } from './actions.js';

/** One act to remember. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** Who did it. */
  readonly actor: Actor;
  /** In whose log it is: the owner of what was acted on; null: in the administrators' only. */
  readonly accountId: string | null;
  /** Id of what was acted on. */
  readonly subject: string;
  /** Plain facts, never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Writes one line of the audit log, in the transaction of the act itself: neither is ever there without the other. */
export async function insertAuditEntry(trx: Knex, entry: AuditEntry): Promise<void> {
  await trx('audit_log').insert({
    id: newId(idPrefixes.auditEntry),
    at: trx.raw('now()'),
    account_id: entry.accountId,
    user_id: entry.actor.userId,
    credential_id: entry.actor.credentialId,
    address: entry.actor.address,
    action: entry.action,
    subject: entry.subject,
    details: JSON.stringify(entry.details ?? {}),
    request_id: entry.actor.requestId,
  });
}

/** One line of the log. */
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

/** Which lines; what is undefined or null narrows nothing. */
export interface AuditFilter extends TimeRange {
  readonly accountId?: string | undefined;
  /** Id of what was acted on. */
  readonly subject?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** Only lines older than the one with this id. */
  readonly beforeId: string | null;
}

/** `at` is the start of the transaction by the database's clock, the time of an id that of a replica: nearer than this. */
const ID_TIME_SLACK_MS = 3_600_000;

/** Up to `limit` lines, newest first. */
export async function listAuditRows(db: Knex, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const { accountId, subject, action, fromMs, toMs, beforeId } = filter;
  const query = db('audit_log').orderBy('id', 'desc').limit(limit);
  if (accountId !== undefined) query.where({ account_id: accountId });
  if (subject !== undefined) query.where({ subject });
  if (action !== undefined) query.where({ action });
  if (beforeId !== null) query.where('id', '<', beforeId);
  // the bounds of the id keep the index from being read to its end
  if (fromMs !== null) query.where('at', '>=', new Date(fromMs)).where('id', '>=', idBound(fromMs - ID_TIME_SLACK_MS));
  if (toMs !== null) query.where('at', '<', new Date(toMs)).where('id', '<', idBound(toMs + ID_TIME_SLACK_MS));
  return query.select<AuditRow[]>();
}

function idBound(instantMs: number): string {
  return idLowerBound(idPrefixes.auditEntry, instantMs);
}

/** Deletes what happened before an instant. */
export async function deleteAuditRowsBefore(db: Knex, before: Date): Promise<void> {
  await db('audit_log')
    .where('at', '<', before)
    .where('id', '<', idBound(before.getTime() + ID_TIME_SLACK_MS))
    .delete();
}
