import type { AuditAction } from '../../audit-log/actions.js';
import type { AnyRoute } from '../../http/route.js';
import { listAudit, listOwnAudit } from './routes/read-audit.js';
import { listNodeAudit } from './routes/read-node-audit.js';
import { auditSchemas } from './schema.js';

/** Operations that read the audit log. `actions`: the acts of all modules. */
export function auditRoutes(actions: readonly AuditAction[]): readonly AnyRoute[] {
  const schemas = auditSchemas(actions);
  return [listOwnAudit(schemas), listAudit(schemas), listNodeAudit(schemas)];
}
