import type { Knex } from 'knex';

/** Calls `act` when the transaction has committed, and never when it has not. */
export function afterCommit(trx: Knex, act: () => void): void {
  // who began the transaction hears of its failure
  (trx as Knex.Transaction).executionPromise.then(act, () => {});
}
