import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { AuditAction } from './actions.js';
import type { Actor } from './actor.js';

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
