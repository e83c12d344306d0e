export { LinkServer } from './link-server.js';
export { LinkSessions, type LinkSessionsPorts } from './link-sessions.js';
export type { AgentSpool } from './records/agent-spool.js';
export { LinkStore } from './records/link-store.js';
export type { LinkNodeRow, NewSession, SessionRow } from './records/opening-store.js';
export { isRetiredKey, keyFingerprint } from './records/rotation-store.js';
export {
  findIdentityKey,
  loadServerIdentity,
  type ServerIdentity,
  WrongSecretKeyError,
} from './records/server-identity.js';
export type { NewestState, StateKind } from './records/state-kinds.js';
export { storeStates } from './records/state-store.js';
export { type LinkRecords, linkRecords } from './records/store.js';
export { UpgradeDeadlines } from './records/upgrade-deadlines.js';
export { failOverdueUpgrades } from './records/upgrade-store.js';
export { type NodeVitals, storeVitals } from './records/vitals-store.js';
export { LINK_GRACE_MS } from './session/closing.js';
export { followDirectory } from './session/fencing.js';
export type { Link } from './session/link.js';
export type { LinkWork } from './session/link-ports.js';
export { LinkTable } from './session/link-table.js';
export { VitalsLog } from './session/vitals-log.js';
export type { AssignedKeys, AssignedReads } from './traffic/assigned-reads.js';
export { keyHash } from './traffic/held-assignments.js';
export type { LinkConfig } from './traffic/link-config.js';
export { BUSY_HEARTBEAT_MS, HEARTBEAT_MS, LEASE_SECONDS } from './traffic/link-times.js';
