import type { AnyRoute } from '../../http/route.js';
import { lookRoutes } from './routes/look.js';

/** Every lookup. */
export const lookupRoutes: readonly AnyRoute[] = [...lookRoutes];
