import type { AnyRoute } from './http/route.js';
import { accountRoutes } from './modules/accounts/routes.js';
import { auditRoutes } from './modules/audit/routes.js';
import { heartbeatRoutes } from './modules/heartbeats/routes.js';
import { jobRoutes } from './modules/jobs/routes.js';
import { monitorRoutes } from './modules/monitors/routes.js';
import { nodeRoutes } from './modules/nodes/routes.js';
import { pageRoutes } from './modules/pages/routes.js';
import { probeRoutes } from './modules/probes/routes.js';
import { tokenRoutes } from './modules/tokens/routes.js';

/** Every operation of the API and every page, but for health and the reference, which describe these. */
export const routes: readonly AnyRoute[] = [
  ...probeRoutes,
  ...monitorRoutes,
  ...heartbeatRoutes,
  ...nodeRoutes,
  ...accountRoutes,
  ...tokenRoutes,
  ...auditRoutes,
  ...jobRoutes,
  ...pageRoutes,
];
