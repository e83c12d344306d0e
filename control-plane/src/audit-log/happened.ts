import type { Knex } from 'knex';
import { type EventKind, type NewEvent, publishAll } from '../events/index.js';
import { type AuditEntry, insertAuditEntries } from './store.js';

/** Act that is recorded in the audit log and published as an event. */
export interface Act<K extends EventKind = EventKind> extends AuditEntry {
  readonly event: NewEvent<K>;
}

/** Writes the line of the audit log and the event of one act, in the transaction of the act. @throws EventPayloadError */
export async function happened<K extends EventKind>(trx: Knex, act: Act<K>): Promise<void> {
  await allHappened(trx, [act]);
}

/** As `happened`, for several acts, with few statements for all of them. */
export async function allHappened(trx: Knex, acts: readonly Act[]): Promise<void> {
  await insertAuditEntries(trx, acts);
  await publishAll(
    trx,
    acts.map(({ event }) => event),
  );
}
