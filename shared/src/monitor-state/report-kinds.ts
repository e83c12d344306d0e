// Apart from the schemas: an agent's main process needs these alone, and they are megabytes.

/** Kinds of what nodes deliver of monitors, as on the wire: a check, and slots that were not run. */
export const CHECK_KIND = 'check';
export const MISSED_KIND = 'missed';
