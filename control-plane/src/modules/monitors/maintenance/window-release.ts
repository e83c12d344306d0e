import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { deleteWindow, listWindowsOf, queueMonitorsIn } from './window-store.js';

/**
 * Deletes all maintenance windows of an owner, in the caller's transaction, with an entry for each in the audit log, since windows
 * keep events from opening. The owner's monitors are judged again.
 */
export async function deleteWindowsOf(
  trx: Knex,
  ownerId: string,
  { actor, reason }: { readonly actor: Actor; readonly reason: string },
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const windows = await listWindowsOf(trx, ownerId);
  for (const { id } of windows) {
    await queueMonitorsIn(trx, id);
    await deleteWindow(trx, id);
    const entry = { actor, accountId: ownerId, subject: id, action: 'maintenance_window.deleted' } as const;
    await insertAuditEntry(trx, { ...entry, details: { reason } });
  }
  return windows.map(({ id, title }) => ({ id, name: title ?? id }));
}
