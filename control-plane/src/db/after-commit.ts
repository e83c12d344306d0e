import type { Knex } from 'knex';

/** Calls `act` when the transaction has committed, and never when it has not. Without a transaction: at once. */
export function afterCommit(trx: Knex, act: () => void): void {
  if (trx.isTransaction !== true) return act();
  // the caller that began the transaction gets its failure
  (trx as Knex.Transaction).executionPromise.then(act, () => {});
}
