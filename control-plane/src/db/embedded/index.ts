export { type OpenOptions, openDataDirectory } from './data-directory.js';
export { DataDirectoryInUseError, EmbeddedPostgresError, NoDatabaseError } from './errors.js';
export { checkHasDatabase, listServers } from './existing-database.js';
export { startEmbeddedPostgres } from './start.js';
