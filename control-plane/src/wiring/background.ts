import { dropPartitions, ensurePartitions } from '../db/partitions.js';
import type { Consumers } from '../events/index.js';
import type { StoredResponses } from '../idempotency/index.js';
import { deleteOldIngestRecords } from '../ingest/index.js';
import type { JobServices } from '../jobs/job.js';
import { JobCounts } from '../jobs/job-counts.js';
import { Jobs } from '../jobs/jobs.js';
import { deleteEndedWindows } from '../limits/index.js';
import type { MailParts } from '../mail/index.js';
import { Upkeep } from '../runtime/upkeep.js';
import type { Foundation } from './foundation.js';
import { jobTypes } from './modules.js';
import type { OpenedModules } from './open-modules.js';

/** The queue of jobs that outlive their request, mails for example; it does not run yet. */
export function wireJobs(foundation: Foundation, { jobServices }: OpenedModules, mailer: MailParts['mailer']): Jobs {
  const { storage, db, replicaId, clock, log, metrics } = foundation;
  const jobs = new Jobs({
    url: storage.url,
    db,
    replicaId,
    types: jobTypes,
    services: { ...jobServices, mailer } as JobServices,
    clock,
    log: log.child({ part: 'jobs' }),
  });
  const counts = new JobCounts(db, clock);
  metrics.watchJobs(() => counts.read());
  return jobs;
}

/** Hourly housekeeping of the frame and of every module; it does not run yet. */
export function wireUpkeep(
  { db, clock, log }: Foundation,
  { upkeep }: OpenedModules,
  { idempotency, events }: { readonly idempotency: StoredResponses; readonly events: Consumers },
): Upkeep {
  return new Upkeep({
    clock,
    log: log.child({ part: 'upkeep' }),
    tasks: [
      async () => void (await ensurePartitions(db, clock.now())),
      async () => void (await dropPartitions(db, clock.now())),
      () => deleteOldIngestRecords(db),
      () => deleteEndedWindows(db, clock.now()),
      () => events.tidy(),
      () => idempotency.deleteForgotten(),
      ...upkeep,
    ],
  });
}
