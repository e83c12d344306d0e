import type { Knex } from 'knex';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { KnownMonitorRow } from '../definition/store.js';
import { type AccountEventsPage, listAccountEvents } from '../events/account-event-store.js';
import { type EventRow, type EventsPage, findEvent, listEvents } from '../events/event-store.js';

/** Reads the events of monitors. */
export class EventReading {
  constructor(private readonly db: Knex) {}

  /** Page of a monitor's events, the one that began last first, and the number of all. */
  list({ id }: KnownMonitorRow, page: Omit<EventsPage, 'monitorId'>): Promise<{ rows: EventRow[]; total: number }> {
    return listEvents(this.db, { monitorId: id, ...page });
  }

  /** Events of all monitors of an account, the one that began last first. */
  listAll(account: Account, page: AccountEventsPage): Promise<EventRow[]> {
    return listAccountEvents(this.db, account.owner, page);
  }

  /** @throws ApiError NOT_FOUND */
  async get(id: string, account: Account): Promise<EventRow> {
    const event = await findEvent(this.db, id, account.owner);
    if (event === null) throw new ApiError('NOT_FOUND');
    return event;
  }
}
