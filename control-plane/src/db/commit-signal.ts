import type { Knex } from 'knex';
import { afterCommit } from './after-commit.js';

/** Events of transactions for listeners of their pool, which get them when the transaction has committed, and never when it has not. */
export interface CommitSignal<T> {
  /** Calls `listener` for what transactions of these connections send. */
  listen(db: Knex, listener: (value: T) => void): void;
  /** Sends a value with the commit of a transaction; without a transaction: at once. */
  send(trx: Knex, value: T): void;
}

/** Creates a signal; `name`: key of its listeners in the parameters of a pool. */
export function commitSignal<T>(name: string): CommitSignal<T> {
  type Listener = (value: T) => void;
  // transactions inherit the parameters of their pool, so that senders need nothing but their transaction
  const listenersOf = ({ userParams }: Knex): readonly Listener[] => userParams[name] ?? [];
  return {
    listen(db, listener) {
      db.userParams = { ...db.userParams, [name]: [...listenersOf(db), listener] };
    },
    send(trx, value) {
      const listeners = listenersOf(trx);
      if (listeners.length === 0) return;
      afterCommit(trx, () => {
        for (const listener of listeners) listener(value);
      });
    },
  };
}
