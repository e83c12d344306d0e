export { followDirectory } from './fencing.js';
export { LinkServer } from './link-server.js';
export { LinkStore } from './link-store.js';
export { LinkTable } from './link-table.js';
export { loadServerIdentity, type ServerIdentity, WrongSecretKeyError } from './server-identity.js';
export { LINK_GRACE_MS, type LinkConfig, LinkSession, type LinkWork } from './session.js';
