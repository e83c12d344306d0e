import type { AnyRoute } from '../../http/route.js';
import { listAudit, listOwnAudit } from './routes/read-audit.js';
import { listNodeAudit } from './routes/read-node-audit.js';

/** Reading the audit log. */
export const auditRoutes: readonly AnyRoute[] = [listOwnAudit, listAudit, listNodeAudit];
