import type { AnyRoute } from '../../http/route.js';
import { deleteJob, retryJob } from './routes/change-job.js';
import { listJobs } from './routes/list-jobs.js';

/** Every operation on the queue of jobs. */
export const jobRoutes: readonly AnyRoute[] = [listJobs, retryJob, deleteJob];
