export { type OpenOptions, openDataDirectory } from './data-directory.js';
export { DataDirectoryInUseError, EmbeddedPostgresError } from './errors.js';
export { startEmbeddedPostgres } from './start.js';
