export {
  checkScope,
  type MonitorScopeType,
  monitorScopeSchemas,
  namedScope,
} from './definition/monitor-scope.js';
export { cycleMessage, type PolicyReferences } from './definition/policy-references.js';
export { type AlertedMonitor, readAlertedMonitors } from './reading/alerted-monitors.js';
export type { ImportReport } from './transfer/importing/import-schema.js';
