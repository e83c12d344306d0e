import type { AnyRoute } from '../../http/route.js';
import { createProbeRoutes } from './routes/create-probe.js';
import { getTask, listTasks, streamTask } from './routes/read-tasks.js';

/** Every operation on one-shot probes. */
export const probeRoutes: readonly AnyRoute[] = [...createProbeRoutes, listTasks, getTask, streamTask];
