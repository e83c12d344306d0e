import type { Knex } from 'knex';

/** Alerts that are looked at again, since a policy, a silence or a group has changed. */
export interface LookAgain {
  /** Marks the alerts of an owner that are not resolved, in the transaction of the change. */
  queue(trx: Knex, ownerId: string): Promise<void>;
}

/** Answer while there are no alerts. */
export const noAlerts: LookAgain = { queue: async () => {} };
