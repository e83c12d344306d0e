import { dropPartitions, ensurePartitions } from '../db/partitions.js';
import type { Services } from '../http/route.js';
import type { StoredResponses } from '../idempotency/index.js';
import { deleteOldIngestRecords } from '../ingest/index.js';
import { JobCounts } from '../jobs/job-counts.js';
import { jobTypes } from '../jobs/job-types.js';
import { Jobs } from '../jobs/jobs.js';
import { deleteEndedWindows } from '../limits/index.js';
import type { MailParts } from '../mail/index.js';
import { deleteOldHappenings, deleteOldUplinkLosses } from '../modules/monitors/index.js';
import { deleteOldLinkDays, updateUptimes } from '../modules/nodes/index.js';
import { deleteFullBuckets } from '../modules/probes/index.js';
import { Upkeep } from '../upkeep.js';
import type { Foundation } from './foundation.js';
import type { People } from './people.js';

/** The queue of jobs that outlive their request, mails for example; it does not run yet. */
export function wireJobs(foundation: Foundation, { accounts }: People, mailer: MailParts['mailer']): Jobs {
  const { storage, db, replicaId, clock, log, metrics } = foundation;
  const jobs = new Jobs({
    url: storage.url,
    db,
    replicaId,
    types: jobTypes,
    services: { mailer, recovery: accounts.recovery },
    clock,
    log: log.child({ part: 'jobs' }),
  });
  const counts = new JobCounts(db, clock);
  metrics.watchJobs(() => counts.read());
  return jobs;
}

/** What is made and thrown away as time goes by; it does not run yet. */
export function wireUpkeep(
  { db, clock, log }: Foundation,
  { services, people, idempotency }: { services: Services; people: People; idempotency: StoredResponses },
): Upkeep {
  return new Upkeep({
    clock,
    log: log.child({ part: 'upkeep' }),
    tasks: [
      async () => void (await ensurePartitions(db, clock.now())),
      async () => void (await dropPartitions(db, clock.now())),
      () => updateUptimes(db),
      () => deleteOldLinkDays(db),
      () => deleteOldIngestRecords(db),
      () => deleteFullBuckets(db),
      () => deleteEndedWindows(db, clock.now()),
      () => deleteOldUplinkLosses(db),
      () => deleteOldHappenings(db),
      ...people.accounts.upkeep,
      () => idempotency.deleteForgotten(),
      ...[people.tokens, services.enrollmentTokens, services.audit, services.jobs].map(
        (part) => () => part.deleteOutdated(),
      ),
    ],
  });
}
