import type { AnyRoute } from '../../http/route.js';
import { getOwnIp } from './routes/get-own-ip.js';
import { lookRoutes } from './routes/look.js';
import { lookupPageRoutes } from './routes/lookup-page.js';

/** Every lookup. */
export const lookupRoutes: readonly AnyRoute[] = [...lookRoutes, getOwnIp, ...lookupPageRoutes];
