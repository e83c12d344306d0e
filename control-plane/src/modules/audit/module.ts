import { defineModule } from '../module.js';
import { Audit } from './index.js';
import { auditRoutes } from './routes.js';

/** Operations that read the audit log. */
export const auditModule = defineModule({
  name: 'audit',
  routes: auditRoutes,
  open({ db, clock }) {
    const audit = new Audit(db, clock);
    return { service: audit, upkeep: [() => audit.deleteOutdated()] };
  },
});
