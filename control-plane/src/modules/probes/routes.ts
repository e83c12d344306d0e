import type { AnyRoute } from '../../http/route.js';
import { announcedProbeRoutes, createProbeRoutes } from './routes/create-probe.js';
import { getTask, listTasks, streamTask } from './routes/read-tasks.js';

/** Every operation on one-shot probes. */
export const probeRoutes: readonly AnyRoute[] = [
  ...createProbeRoutes,
  ...announcedProbeRoutes,
  listTasks,
  getTask,
  streamTask,
];
