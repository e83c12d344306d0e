import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type AuditAction } from '../../../audit-log/actions.js';
import { happened } from '../../../audit-log/happened.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { publish } from '../../../events/index.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { MonitorAct } from '../definition/monitor-act.js';
import { findMonitor, lockMonitor } from '../definition/store.js';
import { eventFields, monitorName, subjectOf } from '../events/event-fields.js';
import { type EventRow, findEvent, lockEvent, resolveEvent, updateEvent } from '../events/event-store.js';
import { insertDue, lockState, noteResolved } from '../judging/state-store.js';

interface EventActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Called when monitors are due for judgment. */
  readonly onDue: () => void;
}

/** Acknowledges, annotates and resolves events of monitors. */
export class EventActs {
  constructor(private readonly options: EventActsOptions) {}

  /** Acknowledges an event; the first acknowledgement is kept. @throws ApiError NOT_FOUND */
  acknowledge(id: string, act: MonitorAct): Promise<EventRow> {
    return this.options.db.transaction(async (trx) => {
      const event = await lockEvent(trx, id, act.account.owner);
      if (event === null) throw new ApiError('NOT_FOUND');
      if (event.ack_at !== null) return event;
      const by = nameOf(act.account);
      const changed = await updateEvent(trx, id, { ack_at: new Date(this.options.clock.now()), acknowledged_by: by });
      const entry = {
        actor: act.actor,
        accountId: act.account.owner.id,
        subject: id,
        action: 'monitor_event.acknowledged',
        details: { monitor: event.monitor_id },
      } as const;
      await insertAuditEntry(trx, entry);
      if (event.ended_at === null) await this.#publishAcknowledged(trx, changed, act.account);
      return changed;
    });
  }

  /** @throws ApiError NOT_FOUND */
  markFalsePositive(id: string, isFalsePositive: boolean, act: MonitorAct): Promise<EventRow> {
    return this.#change(id, act, 'monitor_event.false_positive_set', (event) =>
      event.is_false_positive === isFalsePositive ? null : { is_false_positive: isFalsePositive },
    );
  }

  /** Null if there is none. @throws ApiError NOT_FOUND */
  writeNotes(id: string, notes: string | null, act: MonitorAct): Promise<EventRow> {
    return this.#change(id, act, 'monitor_event.notes_set', (event) => (event.notes === notes ? null : { notes }));
  }

  /**
   * Ends the reminders of an open event. The event lasts until its monitor recovers, since resolving it does not end the outage.
   * An event that has ended or is already resolved does not change.
   * @throws ApiError NOT_FOUND
   */
  async resolve(id: string, { account, actor }: MonitorAct): Promise<EventRow> {
    const { db, clock, onDue } = this.options;
    const event = await db.transaction(async (trx) => {
      const found = await findEvent(trx, id, account.owner);
      if (found === null) throw new ApiError('NOT_FOUND');
      // in the order in which judgments lock: the monitor, its state, its event
      const monitor = await lockMonitor(trx, found.monitor_id, account.owner);
      if (monitor === null) throw new ApiError('NOT_FOUND');
      await lockState(trx, monitor.id);
      const resolved = await resolveEvent(trx, id, { at: new Date(clock.now()), by: nameOf(account) });
      if (resolved === null) return (await findEvent(trx, id, account.owner)) ?? found;
      await noteResolved(trx, monitor.id, resolved.type);
      await insertDue(trx, [monitor.id]);
      const payload = { monitor: monitorName(monitor), event: eventFields(resolved), resolved_by: nameOf(account) };
      await happened(trx, {
        actor,
        accountId: monitor.owner_id,
        action: 'monitor_event.resolved',
        subject: id,
        details: { monitor: monitor.id },
        event: { kind: 'monitor.resolved', ...subjectOf(monitor), payload },
      });
      return resolved;
    });
    onDue();
    return event;
  }

  async #publishAcknowledged(trx: Knex, event: EventRow, account: Account): Promise<void> {
    const { owner } = account;
    const monitor = await findMonitor(trx, { id: event.monitor_id, owner, nowMs: this.options.clock.now() });
    if (monitor === null) return;
    const payload = { monitor: monitorName(monitor), event: eventFields(event), acknowledged_by: nameOf(account) };
    await publish(trx, { kind: 'monitor.acknowledged', ...subjectOf(monitor), payload });
  }

  /** Writes the columns that `change` returns for an event; null if nothing changes. */
  #change(
    id: string,
    { account, actor }: MonitorAct,
    action: AuditAction,
    change: (event: EventRow) => Partial<EventRow> | null,
  ): Promise<EventRow> {
    return this.options.db.transaction(async (trx: Knex) => {
      const event = await lockEvent(trx, id, account.owner);
      if (event === null) throw new ApiError('NOT_FOUND');
      const changes = change(event);
      if (changes === null) return event;
      const changed = await updateEvent(trx, id, changes);
      const { is_false_positive } = changes;
      const details = { monitor: event.monitor_id, ...(is_false_positive === undefined ? {} : { is_false_positive }) };
      await insertAuditEntry(trx, { actor, accountId: account.owner.id, subject: id, action, details });
      return changed;
    });
  }
}

/** Id of the caller: the user, or the key of a team. */
function nameOf({ user, credentialId }: Account): string {
  return user?.id ?? credentialId;
}
