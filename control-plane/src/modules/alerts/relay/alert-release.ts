import type { Knex } from 'knex';
import { deleteAlertsOf } from '../events/alert-store.js';
import { deleteNodeWaitsOf } from '../events/node-wait-store.js';
import { deleteBundlesOf } from './bundle-store.js';
import { deleteDigestsOf } from './digest-store.js';

/** Deletes the alerts of an owner who leaves, and the records of their notifications. */
export async function releaseAlertEvents(trx: Knex, { id }: { readonly id: string }): Promise<void> {
  await deleteBundlesOf(trx, id);
  await deleteAlertsOf(trx, id);
  await deleteDigestsOf(trx, id);
  await deleteNodeWaitsOf(trx, id);
}
