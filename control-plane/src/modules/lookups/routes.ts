import type { AnyRoute } from '../../http/route.js';
import { getOwnIp } from './routes/get-own-ip.js';
import { getReputation } from './routes/get-reputation.js';
import { lookRoutes } from './routes/look.js';
import { lookupPageRoutes } from './routes/lookup-page.js';
import { acceptReputationList, listReputationLists } from './routes/reputation-lists.js';

/** Every lookup, and the lists behind them. */
export const lookupRoutes: readonly AnyRoute[] = [
  ...lookRoutes,
  getOwnIp,
  getReputation,
  listReputationLists,
  acceptReputationList,
  ...lookupPageRoutes,
];
