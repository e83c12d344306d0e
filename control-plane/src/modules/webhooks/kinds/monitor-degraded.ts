import { definePeriodKind } from './families.js';

/** monitor.degraded */
export const monitorDegraded = definePeriodKind('A monitor is degraded.', 'degraded');
