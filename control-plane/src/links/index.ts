export { LINK_GRACE_MS } from './closing.js';
export { followDirectory } from './fencing.js';
export type { LinkConfig } from './link-config.js';
export type { LinkWork } from './link-ports.js';
export { LinkServer } from './link-server.js';
export { LinkStore } from './link-store.js';
export { LinkTable } from './link-table.js';
export { loadServerIdentity, type ServerIdentity, WrongSecretKeyError } from './server-identity.js';
export { LinkSession } from './session.js';
