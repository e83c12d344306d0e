import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { AuditAction } from './actions.js';
import type { Actor } from './actor.js';

/** A statement has at most 65 535 values. */
const ROWS_PER_STATEMENT = 1_000;

/** Act to be recorded. */
export interface AuditEntry {
  readonly action: AuditAction;
  /** Author of the act. */
  readonly actor: Actor;
  /** Owner of the subject, whose audit log has the entry; null if only the log of the administrators has it. */
  readonly accountId: string | null;
  /** Id of the subject of the act. */
  readonly subject: string;
  /** Plain facts, never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Writes one line of the audit log, in the transaction of the act itself: neither ever exists without the other. */
export function insertAuditEntry(trx: Knex, entry: AuditEntry): Promise<void> {
  return insertAuditEntries(trx, [entry]);
}

/** As `insertAuditEntry`, for several lines, in their order. */
export async function insertAuditEntries(trx: Knex, entries: readonly AuditEntry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += ROWS_PER_STATEMENT) {
    const rows = entries.slice(from, from + ROWS_PER_STATEMENT).map((entry) => ({
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
    }));
    await trx('audit_log').insert(rows);
  }
}
