import { defineMonitorKind } from './families.js';

/** monitor.archived */
export const monitorArchived = defineMonitorKind('A monitor was archived; an open event has ended.');
