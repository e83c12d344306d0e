import { defineModule } from '../module.js';
import { jobActions } from './actions.js';
import { QueuedJobs } from './index.js';
import { jobRoutes } from './routes.js';

/** Operations of administrators on the queue of jobs. */
export const jobsModule = defineModule({
  name: 'jobs',
  actions: jobActions,
  tags: {
    Administration: 'Operations for administrators of this installation only.',
  },
  routes: jobRoutes,
  open({ db, clock }) {
    const jobs = new QueuedJobs(db, clock);
    return { service: jobs, upkeep: [() => jobs.deleteOutdated()] };
  },
});
