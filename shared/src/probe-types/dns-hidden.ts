/** Placeholder for data that a node does not reveal; no data of any type look like it. */
export const HIDDEN_VALUE = 'hidden';

/** Placeholder for the address of the node's own resolver. */
export const OWN_RESOLVER = 'system';
