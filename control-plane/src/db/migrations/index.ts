import type { Knex } from 'knex';
import * as mainRoad from './0001-main-road.js';
import * as apiPlatform from './0002-api-platform.js';
import * as jobQueue from './0003-job-queue.js';
import * as nodeSelfTest from './0004-node-self-test.js';

/** One step forward. Written so that the version before it keeps working on the changed tables. */
export interface Migration {
  /** `NNNN-what-it-brings`, the file's name; never renamed once released. */
  readonly name: string;
  /** Runs inside the transaction that records it. */
  up(trx: Knex.Transaction): Promise<void>;
}

/** All migrations in the order they apply; new ones go to the end. */
export const migrations: readonly Migration[] = [mainRoad, apiPlatform, jobQueue, nodeSelfTest];
