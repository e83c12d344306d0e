import type { AnyRoute } from '../../http/route.js';
import { createProbeRoutes } from './routes/create-probe.js';
import { refuseType } from './routes/refuse-type.js';
import { changeTask, getTask, listTasks, streamTask } from './routes/tasks.js';

/** Every operation on one-shot probes. */
export const probeRoutes: readonly AnyRoute[] = [
  ...createProbeRoutes,
  refuseType,
  listTasks,
  getTask,
  changeTask,
  streamTask,
];
