import type { AnyRoute } from '../../http/route.js';
import { createProbeRoutes } from './routes/create-probe.js';
import { getTask, listTasks, streamTask } from './routes/read-tasks.js';
import { refuseType } from './routes/refuse-type.js';

/** Every operation on one-shot probes. */
export const probeRoutes: readonly AnyRoute[] = [...createProbeRoutes, refuseType, listTasks, getTask, streamTask];
