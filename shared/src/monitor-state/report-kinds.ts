// Separate from the schemas, which take megabytes: the main process of an agent needs only these.

/** Kinds of what nodes deliver of monitors, as on the wire: a check, and slots that were not run. */
export const CHECK_KIND = 'check';
export const MISSED_KIND = 'missed';
