/** Name in the table of applied migrations. */
export const name = '0026-sign-in-indexes';

/** Sessions by the cookie of a browser, and accounts that are to be erased. */
export const indexes = [
  { name: 'sessions_token_id', on: 'sessions (token_id)', isUnique: true },
  { name: 'users_deleting_at', on: 'users (deleting_at) WHERE deleting_at IS NOT NULL' },
] as const;
