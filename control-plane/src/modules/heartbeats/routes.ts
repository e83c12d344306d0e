import type { AnyRoute } from '../../http/route.js';
import { getBadge } from './routes/badge.js';
import { checkInRoutes } from './routes/check-in.js';
import { pushRoutes } from './routes/push.js';
import { rotateToken } from './routes/rotate-token.js';

/** Every operation on heartbeats beyond those of all monitors. */
export const heartbeatRoutes: readonly AnyRoute[] = [rotateToken, ...checkInRoutes, ...pushRoutes, getBadge];
