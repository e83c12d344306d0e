import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Test } from 'tap';
import type { AnyJobType, JobServices } from '../../src/jobs/job.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { replicaStore } from '../../src/replicas/store.js';
import { collectLog, type LogLine } from './log-lines.js';

/** The parts of a replica that run jobs. */
export interface JobReplica {
  readonly id: string;
  readonly jobs: Jobs;
  readonly log: readonly LogLine[];
}

interface JobReplicaOptions {
  readonly database: { readonly url: string; readonly db: Knex };
  readonly types: readonly AnyJobType[];
  /** Dependencies of these job types. */
  readonly services?: Partial<JobServices>;
  readonly clock?: Clock;
}

/** A live replica that runs jobs of `types`; stopped when `t` ends. */
export async function startJobReplica(t: Test, options: JobReplicaOptions): Promise<JobReplica> {
  const { database, types, clock = systemClock } = options;
  const services = { ...options.services } as JobServices;
  const id = newId(idPrefixes.replica);
  const { log, lines } = collectLog();
  await replicaStore(database.db).upsert({ id, url: null, isDraining: false, allowTargets: [] });
  const jobs = new Jobs({ ...database, replicaId: id, types, services, clock, log });
  jobs.start();
  t.teardown(() => jobs.stop());
  return { id, jobs, log: lines };
}
