import type { Knex } from 'knex';
import * as baseline from './0001-baseline.js';
import * as events from './0002-events.js';
import * as webhooks from './0003-webhooks.js';
import * as alertChannels from './0004-alert-channels.js';
import * as alertPolicies from './0005-alert-policies.js';
import * as alerts from './0006-alerts.js';
import * as failedEvents from './0007-failed-events.js';
import * as noticesAndDigests from './0008-notices-and-digests.js';
import * as lookups from './0009-lookups.js';
import * as reputationLists from './0010-reputation-lists.js';
import * as diagnose from './0011-diagnose.js';
import * as replicaRanges from './0012-replica-ranges.js';
import * as unfitNodes from './0013-unfit-nodes.js';
import * as recipientStops from './0014-recipient-stops.js';
import * as rollouts from './0015-rollouts.js';
import * as dueMonitors from './0016-due-monitors.js';
import * as uptimeEpisodes from './0017-uptime-episodes.js';
import * as webhookTests from './0018-webhook-tests.js';
import * as earlierRuns from './0019-earlier-runs.js';
import * as alertRequests from './0020-alert-requests.js';
import * as pingsByKind from './0021-pings-by-kind.js';
import * as badges from './0022-badges.js';
import * as logPings from './0023-log-pings.js';
import * as sharedTasks from './0024-shared-tasks.js';
import * as signInWays from './0025-sign-in-ways.js';
import * as signInIndexes from './0026-sign-in-indexes.js';
import * as consoleAssets from './0027-console-assets.js';
import * as streams from './0028-streams.js';
import * as streamIndexes from './0029-stream-indexes.js';

/** An index on a table that may have many rows. On a partitioned table it is built on one partition after another. */
export interface BuiltIndex {
  readonly name: string;
  /** Table, columns and condition: `monitors (owner_id) WHERE archived_at IS NULL`. */
  readonly on: string;
  readonly isUnique?: true;
}

/** One step forward. Written so that the version before it keeps working on the changed tables. */
export interface Migration {
  /** `NNNN-what-it-brings`, the file's name; never renamed once released. */
  readonly name: string;
  /** Runs inside the transaction that records it. */
  up?(trx: Knex.Transaction): Promise<void>;
  /** Built in place of `up`, without a lock that blocks writers. */
  readonly indexes?: readonly BuiltIndex[];
  /**
   * Name of the migration that a program has to know in order to work with the database from here on: the first one of the
   * version that no longer uses what this one takes away. Older programs refuse the database.
   */
  readonly requires?: string;
}

/** All migrations in the order they apply; new ones go to the end. */
export const migrations: readonly Migration[] = [
  baseline,
  events,
  webhooks,
  alertChannels,
  alertPolicies,
  alerts,
  failedEvents,
  noticesAndDigests,
  lookups,
  reputationLists,
  diagnose,
  replicaRanges,
  unfitNodes,
  recipientStops,
  rollouts,
  dueMonitors,
  uptimeEpisodes,
  webhookTests,
  earlierRuns,
  alertRequests,
  pingsByKind,
  badges,
  logPings,
  sharedTasks,
  signInWays,
  signInIndexes,
  consoleAssets,
  streams,
  streamIndexes,
];
