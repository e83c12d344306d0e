import type { Knex } from 'knex';
import type { EventKind, PayloadOf } from './kinds/index.js';

/** An event to publish. */
export interface NewEvent<K extends EventKind = EventKind> {
  readonly kind: K;
  /** Owner of the subject. */
  readonly ownerId: string;
  /** True if the subject was created by a test key. */
  readonly isTest: boolean;
  /** Id of the subject. */
  readonly subject: string;
  readonly payload: PayloadOf<K>;
}

/** An event as consumers get it; `kind` determines the type of its payload. */
export type EventOf<K extends EventKind> = {
  readonly [Kind in K]: NewEvent<Kind> & {
    /** `evt_…`, the same for every consumer and every attempt. */
    readonly id: string;
    /** Number that rises per subject and orders its events. */
    readonly sequence: number;
    /** Time of publication. */
    readonly at: Date;
  };
}[K];

/** Context of a consumer. */
export interface EventContext {
  /** Transaction whose effects happen exactly once: it also writes the consumer's mark of the event. */
  readonly trx: Knex;
}

interface Consuming<K extends EventKind> {
  /** Name `module.purpose`; stored with its marks, so a renamed consumer starts again. */
  readonly name: string;
  readonly kinds: readonly K[];
}

/** Consumer of one event at a time. */
interface SingleConsumer<K extends EventKind> extends Consuming<K> {
  /**
   * Handles one event; those of one subject come in order. It writes only to the database, jobs and mails included, and
   * may be called again for the same event if the transaction did not commit. An error is retried with growing delays.
   */
  handle(event: EventOf<K>, context: EventContext): Promise<void>;
}

/** Consumer of many events at a time, with few statements for all of them. */
interface SetConsumer<K extends EventKind> extends Consuming<K> {
  /**
   * Handles events as `handle` does, each of another subject, oldest first. After an error the events are handed out
   * again in halves, until the one that fails is alone and is retried.
   */
  handleAll(events: readonly EventOf<K>[], context: EventContext): Promise<void>;
}

/** A module's part in events of some kinds. */
export type Consumer<K extends EventKind = EventKind> = SingleConsumer<K> | SetConsumer<K>;

/** Types a consumer by its kinds, for lists. */
export function defineConsumer<const K extends EventKind>(consumer: Consumer<K>): Consumer {
  return consumer as unknown as Consumer;
}
