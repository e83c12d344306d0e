import { definePeriodKind } from './families.js';

/** monitor.down */
export const monitorDown = definePeriodKind('A monitor is down.', 'down');
