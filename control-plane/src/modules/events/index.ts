import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { type ConsumerBacklog, countBacklogs } from '../../events/index.js';
import { ApiError } from '../../http/errors.js';
import {
  dropSetAside,
  type EventOfConsumer,
  listConsumers,
  listSetAside,
  retrySetAside,
  type SetAsideFilter,
  type SetAsideRow,
} from './store.js';

const LISTED = 100;

/** Backlogs of all consumers of events, and the newest hundred events that are set aside. */
export interface EventStatus {
  readonly consumers: readonly ConsumerBacklog[];
  readonly setAside: readonly SetAsideRow[];
}

/** Acts of operators on events between modules that their consumers failed to handle. */
export class FailedEvents {
  constructor(private readonly db: Knex) {}

  async status(): Promise<EventStatus> {
    const consumers = await countBacklogs(this.db, await listConsumers(this.db));
    return { consumers, setAside: await listSetAside(this.db, LISTED) };
  }

  /** Has events handled again within a second, with all their attempts. @throws ApiError NOT_FOUND when none is selected */
  retry(filter: SetAsideFilter, actor: Actor): Promise<EventOfConsumer[]> {
    return this.#act(actor, 'event.retried', (trx) => retrySetAside(trx, filter));
  }

  /** Gives events up: they are never handled. @throws ApiError NOT_FOUND when none is selected */
  drop(filter: SetAsideFilter, actor: Actor): Promise<EventOfConsumer[]> {
    return this.#act(actor, 'event.dropped', (trx) => dropSetAside(trx, filter));
  }

  #act(
    actor: Actor,
    action: 'event.retried' | 'event.dropped',
    change: (trx: Knex) => Promise<EventOfConsumer[]>,
  ): Promise<EventOfConsumer[]> {
    return this.db.transaction(async (trx) => {
      const changed = await change(trx);
      if (changed.length === 0) throw new ApiError('NOT_FOUND');
      for (const { event_id: subject, consumer } of changed)
        await insertAuditEntry(trx, { actor, accountId: null, action, subject, details: { consumer } });
      return changed;
    });
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly events: FailedEvents;
  }
}
