import type { AnyRoute } from './http/route.js';
import { nodeRoutes } from './modules/nodes/routes.js';
import { pageRoutes } from './modules/pages/routes.js';
import { probeRoutes } from './modules/probes/routes.js';

/** Every operation of the API and every page, but for health and the reference, which describe these. */
export const routes: readonly AnyRoute[] = [...probeRoutes, ...nodeRoutes, ...pageRoutes];
