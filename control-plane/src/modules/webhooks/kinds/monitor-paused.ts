import { defineMonitorKind } from './families.js';

/** monitor.paused */
export const monitorPaused = defineMonitorKind('A monitor was paused; an open event has ended.');
