import type { Knex } from 'knex';
import { accounts, owners } from './baseline/accounts.js';
import { checks } from './baseline/checks.js';
import { heartbeats } from './baseline/heartbeats.js';
import { events, maintenance, monitors, states } from './baseline/monitors.js';
import { linkDays, nodeOwners, nodes } from './baseline/nodes.js';
import { ingest, probes } from './baseline/probes.js';
import { replicas } from './baseline/replicas.js';
import { requests } from './baseline/requests.js';
import { rollups } from './baseline/rollups.js';

// Ids are text COLLATE "C": they sort by creation, so days are ranges of ids (see db/partitions.ts).

/** Name in the table of applied migrations. */
export const name = '0001-baseline';

const parts = [
  owners,
  accounts,
  requests,
  replicas,
  nodes,
  nodeOwners,
  linkDays,
  probes,
  ingest,
  monitors,
  states,
  events,
  maintenance,
  heartbeats,
  checks,
  rollups,
];

/** Every table of the first release, and those of the queue's library in a schema of their own. */
export async function up(trx: Knex.Transaction): Promise<void> {
  for (const part of parts) await trx.raw(part);
  // imported here: the library takes 30 ms to load, and a database that has its tables does not need it
  const { installJobQueue } = await import('../job-queue-schema.js');
  await installJobQueue(trx);
}
