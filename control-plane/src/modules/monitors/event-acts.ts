import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import { type AuditAction, insertAuditEntry } from '../audit/index.js';
import { closeEventById, type EventRow, findEvent, insertHappening, lockEvent, updateEvent } from './event-store.js';
import { eventNews, monitorName } from './happening.js';
import type { MonitorAct } from './monitor-acts.js';
import { insertDue, lockState, noteResolved } from './state-store.js';
import { lockMonitor } from './store.js';

interface EventActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Monitors are to be judged. */
  readonly onDue: () => void;
}

/** What people do with the events of their monitors. */
export class EventActs {
  constructor(private readonly options: EventActsOptions) {}

  /** Says that somebody has seen it; the first one counts. @throws ApiError NOT_FOUND */
  acknowledge(id: string, act: MonitorAct): Promise<EventRow> {
    return this.#change(id, act, 'monitor_event.acknowledged', (event) =>
      event.ack_at === null
        ? { ack_at: new Date(this.options.clock.now()), acknowledged_by: act.account.userId }
        : null,
    );
  }

  /** @throws ApiError NOT_FOUND */
  markFalsePositive(id: string, isFalsePositive: boolean, act: MonitorAct): Promise<EventRow> {
    return this.#change(id, act, 'monitor_event.false_positive_set', (event) =>
      event.is_false_positive === isFalsePositive ? null : { is_false_positive: isFalsePositive },
    );
  }

  /** Null: none. @throws ApiError NOT_FOUND */
  writeNotes(id: string, notes: string | null, act: MonitorAct): Promise<EventRow> {
    return this.#change(id, act, 'monitor_event.notes_set', (event) => (event.notes === notes ? null : { notes }));
  }

  /**
   * Closes an event that is open; one that is not stays as it is. While nodes say the same nothing opens again.
   * @throws ApiError NOT_FOUND
   */
  async resolve(id: string, { account, actor }: MonitorAct): Promise<EventRow> {
    const { db, clock, onDue } = this.options;
    const event = await db.transaction(async (trx) => {
      const found = await findEvent(trx, id, account);
      if (found === null) throw new ApiError('NOT_FOUND');
      // in the order in which judgments lock: the monitor, its state, its event
      const monitor = await lockMonitor(trx, found.monitor_id, account);
      if (monitor === null) throw new ApiError('NOT_FOUND');
      await lockState(trx, monitor.id);
      const closed = await closeEventById(trx, id, { at: new Date(clock.now()), by: account.userId });
      if (closed === null) return (await findEvent(trx, id, account)) ?? found;
      await noteResolved(trx, monitor.id, closed.type);
      const about = { userId: monitor.user_id, isTest: monitor.is_test, monitorId: monitor.id };
      const payload = { monitor: monitorName(monitor), event: eventNews(closed), resolved_by: account.userId };
      await insertHappening(trx, { kind: 'monitor.resolved', ...about, payload });
      await insertDue(trx, [monitor.id]);
      const subject = { actor, accountId: monitor.user_id, subject: id };
      await insertAuditEntry(trx, { ...subject, action: 'monitor_event.resolved', details: { monitor: monitor.id } });
      return closed;
    });
    onDue();
    return event;
  }

  /** Writes what `change` makes of an event; null: it is so already. */
  #change(
    id: string,
    { account, actor }: MonitorAct,
    action: AuditAction,
    change: (event: EventRow) => Partial<EventRow> | null,
  ): Promise<EventRow> {
    return this.options.db.transaction(async (trx: Knex) => {
      const event = await lockEvent(trx, id, account);
      if (event === null) throw new ApiError('NOT_FOUND');
      const changes = change(event);
      if (changes === null) return event;
      const changed = await updateEvent(trx, id, changes);
      const { is_false_positive } = changes;
      const details = { monitor: event.monitor_id, ...(is_false_positive === undefined ? {} : { is_false_positive }) };
      await insertAuditEntry(trx, { actor, accountId: account.userId, subject: id, action, details });
      return changed;
    });
  }
}
