import { definePeriodKind } from './families.js';

/** monitor.up */
export const monitorUp = definePeriodKind('A monitor is up again; `event` is the period that ended.', 'down', true);
