/** Name in the table of applied migrations. */
export const name = '0016-due-monitors';

/** A judgment takes every row of its monitor out of the queue. */
export const indexes = [{ name: 'monitor_due_monitor', on: 'monitor_due (monitor_id)' }];
