import type { Knex } from 'knex';
import { afterCommit } from '../db/after-commit.js';

/** Called with the kind of an event that was committed. */
type Listener = (kind: string) => void;

// transactions inherit the parameters of their pool, so that publishers need nothing but their transaction
const LISTENERS = 'onPublished';

const listenersOf = ({ userParams }: Knex): readonly Listener[] => userParams[LISTENERS] ?? [];

/** Calls `listener` for each event that is published over these connections, as soon as it is committed. */
export function onPublished(db: Knex, listener: Listener): void {
  db.userParams = { ...db.userParams, [LISTENERS]: [...listenersOf(db), listener] };
}

/** Calls the listeners of these connections when the transaction has committed. */
export function notifyPublished(trx: Knex, kind: string): void {
  const listeners = listenersOf(trx);
  if (listeners.length === 0) return;
  afterCommit(trx, () => {
    for (const listener of listeners) listener(kind);
  });
}
