import { defineMonitorKind } from './families.js';

/** monitor.deleted */
export const monitorDeleted = defineMonitorKind('A monitor was deleted with its events.');
