import type { Knex } from 'knex';
import type { Actor } from '../actor.js';
import { deleteMonitorsOf } from '../modules/monitors/index.js';
import type { Nodes } from '../modules/nodes/index.js';

/** What goes with an account that is deleted, in the same transaction: its nodes, and its monitors with their events. */
export function releaseHoldings(nodes: Nodes): (trx: Knex, userId: string, actor: Actor) => Promise<void> {
  return async (trx, userId, actor) => {
    await deleteMonitorsOf(trx, userId);
    await nodes.acts.release(trx, userId, actor);
  };
}
