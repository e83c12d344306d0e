/** Name in the table of applied migrations. */
export const name = '0029-stream-indexes';

/** Events of an owner, and states of monitors that changed. */
export const indexes = [
  { name: 'outbox_owner_created', on: 'outbox (owner_id, created_at)' },
  { name: 'monitor_states_touched_at', on: 'monitor_states (touched_at)' },
] as const;
