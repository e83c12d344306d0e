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

/** SQLSTATE classes and codes that say "not now" rather than "not so" (PostgreSQL documentation, appendix A). */
const unavailableStates = [
  /^08/, // connection exception
  /^53/, // insufficient resources: disk full, out of memory, too many connections
  /^57P0/, // shut down by the administrator, by a crash, still starting, database dropped, idle session ended
  /^57014$/, // statement timeout: slow or locked
  /^58030$/, // I/O error
  /^25006$/, // read only: failed over to a replica that is not promoted yet
];

// pg and knex give these no code; knex puts the statement in front of the message
const unavailableMessages = [
  'Connection terminated',
  'Connection ended unexpectedly',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
];

/**
 * Whether an error of a query means that the database can't answer now (the API then says 503 and to retry), as
 * opposed to a statement or a row it refuses.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'KnexTimeoutError' || error.name === 'DatabaseBusyError') return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code !== null) return socketCodes.has(code) || unavailableStates.some((state) => state.test(code));
  return unavailableMessages.some((message) => error.message.includes(message));
}
