/** Name in the table of applied migrations. */
export const name = '0021-pings-by-kind';

/** A page of the failures of a heartbeat is found without a look at all its pings. */
export const indexes = [{ name: 'heartbeat_pings_kind', on: 'heartbeat_pings (monitor_key, kind, seq)' }];
