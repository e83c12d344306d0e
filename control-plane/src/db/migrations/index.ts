import type { Knex } from 'knex';
import * as mainRoad from './0001-main-road.js';
import * as apiPlatform from './0002-api-platform.js';
import * as jobQueue from './0003-job-queue.js';
import * as nodeSelfTest from './0004-node-self-test.js';
import * as replicaUrls from './0005-replica-urls.js';
import * as nodeIdentity from './0006-node-identity.js';
import * as newestStates from './0007-newest-states.js';
import * as nodePlaces from './0008-node-places.js';
import * as bootSeen from './0009-boot-seen.js';
import * as versionRefused from './0010-version-refused.js';
import * as nodeVitals from './0011-node-vitals.js';
import * as openings from './0012-openings.js';
import * as monitors from './0013-monitors.js';
import * as heartbeats from './0014-heartbeats.js';
import * as maintenance from './0015-maintenance.js';
import * as rollups from './0016-rollups.js';
import * as lateResults from './0017-late-results.js';
import * as checkDetails from './0018-check-details.js';

/** One step forward. Written so that the version before it keeps working on the changed tables. */
export interface Migration {
  /** `NNNN-what-it-brings`, the file's name; never renamed once released. */
  readonly name: string;
  /** Runs inside the transaction that records it. */
  up(trx: Knex.Transaction): Promise<void>;
}

/** All migrations in the order they apply; new ones go to the end. */
export const migrations: readonly Migration[] = [
  mainRoad,
  apiPlatform,
  jobQueue,
  nodeSelfTest,
  replicaUrls,
  nodeIdentity,
  newestStates,
  nodePlaces,
  bootSeen,
  versionRefused,
  nodeVitals,
  openings,
  monitors,
  heartbeats,
  maintenance,
  rollups,
  lateResults,
  checkDetails,
];
