import { MAX_EXPORTED } from '../../owners/index.js';
import { defineModule } from '../module.js';
import { Audit } from './index.js';
import { auditRoutes } from './routes.js';
import { listAuditRows } from './store.js';
import { ownEntryView } from './view.js';

/** Operations that read the audit log. */
export const auditModule = defineModule({
  name: 'audit',
  routes: auditRoutes,
  open({ db, clock }) {
    const audit = new Audit(db, clock);
    return {
      service: audit,
      upkeep: [() => audit.deleteOutdated()],
      export: async ({ id: accountId }) => {
        const all = { accountId, fromMs: null, toMs: null, beforeId: null };
        return { audit_log: (await listAuditRows(db, all, MAX_EXPORTED)).map(ownEntryView) };
      },
    };
  },
});
