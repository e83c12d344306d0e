import type { Knex } from 'knex';
import { type EventKind, type NewEvent, publish } from '../events/index.js';
import { type AuditEntry, insertAuditEntry } from './store.js';

/** Act that is recorded in the audit log and published as an event. */
export interface Act<K extends EventKind = EventKind> extends AuditEntry {
  readonly event: NewEvent<K>;
}

/** Writes the line of the audit log and the event of one act, in the transaction of the act. @throws EventPayloadError */
export async function happened<K extends EventKind>(trx: Knex, { event, ...entry }: Act<K>): Promise<void> {
  await insertAuditEntry(trx, entry);
  await publish(trx, event);
}
