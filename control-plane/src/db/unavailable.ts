const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // the Unix socket of a stopped server
  'ENOENT',
]);

/** SQLSTATE classes and codes that mean a temporary failure (PostgreSQL documentation, appendix A). */
const unavailableStates = [
  /^08/, // connection exception
  /^40(001|P01)$/, // ended so that others go on: a conflict of transactions, a deadlock
  /^55P03$/, // lock timeout
  /^53/, // insufficient resources: disk full, out of memory, too many connections
  /^57P0/, // shut down by the administrator, by a crash, still starting, database dropped, idle session ended
  /^57014$/, // statement timeout: slow or locked
  /^58030$/, // I/O error
  /^25006$/, // read only: failed over to a replica that is not promoted yet
];

// pg and knex set no code for these; knex prefixes the message with the statement
const unavailableMessages = [
  'Connection terminated',
  'Connection ended unexpectedly',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/**
 * True if an error of a query means that the database is unavailable now (the API then replies 503 with a delay), as
 * opposed to an error in the statement or a row.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'KnexTimeoutError' || error.name === 'DatabaseBusyError') return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code !== null) return socketCodes.has(code) || unavailableStates.some((state) => state.test(code));
  return unavailableMessages.some((message) => error.message.includes(message));
}

/** True if a statement names a table that does not exist, or no longer. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01';
}
