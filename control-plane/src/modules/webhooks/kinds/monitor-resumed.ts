import { defineMonitorKind } from './families.js';

/** monitor.resumed */
export const monitorResumed = defineMonitorKind('A monitor was resumed.');
