export {
  checkScope,
  type MonitorScopeType,
  monitorScopeSchemas,
  namedScope,
} from './definition/monitor-scope.js';
export { cycleMessage, type PolicyReferences } from './definition/policy-references.js';
export { MonitorCheckSchema } from './definition/schema.js';
export type { KnownMonitorRow } from './definition/store.js';
export { type AlertedMonitor, readAlertedMonitors } from './reading/alerted-monitors.js';
export type { LiveCheck, LiveReading, LiveState } from './reading/live-reading.js';
export type { ImportReport } from './transfer/importing/import-schema.js';
