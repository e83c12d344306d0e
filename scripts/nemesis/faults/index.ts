import { banNode } from './ban.js';
import {
  databaseCrowded,
  databaseFailedOver,
  databaseFast,
  databaseImmediate,
  databaseKilled,
  databaseLocked,
  databaseSlow,
  databaseStopped,
} from './database.js';
import type { FaultKind } from './fault.js';
import {
  agentCut,
  agentHalfOpen,
  agentLatency,
  agentNarrow,
  agentPartition,
  agentSliced,
  databasePartition,
} from './network.js';
import { keyRotated, nodeDrained } from './node-acts.js';
import {
  agentKilled,
  agentStopped,
  agentTerminated,
  replicaKilled,
  replicaStopped,
  replicasRolling,
  replicaTerminated,
} from './processes.js';
import { spoolDiskFull } from './spool-disk.js';
import { tokenStolen } from './stolen-token.js';

export type { FaultKind, Heal, Shape, Strike } from './fault.js';

/** All faults of the nemesis; a new one is a value and a line here. */
export const faultKinds = {
  'agent killed': agentKilled,
  'agent terminated': agentTerminated,
  'agent stopped': agentStopped,
  'agent cut off': agentPartition,
  'agent half-open': agentHalfOpen,
  'agent reset': agentCut,
  'agent with 2 s latency': agentLatency,
  'agent at 64 kbit/s': agentNarrow,
  'agent in slices': agentSliced,
  'agent banned': banNode,
  'agent drained': nodeDrained,
  'agent given another key': keyRotated,
  'agent with a full disk': spoolDiskFull,
  'enrollment token stolen': tokenStolen,
  'replica killed': replicaKilled,
  'replica terminated': replicaTerminated,
  'replica stopped': replicaStopped,
  'replicas restarted in turn': replicasRolling,
  'replica cut off from PostgreSQL': databasePartition,
  'PostgreSQL restarted fast': databaseFast,
  'PostgreSQL restarted immediately': databaseImmediate,
  'PostgreSQL killed': databaseKilled,
  'PostgreSQL stopped': databaseStopped,
  'PostgreSQL slow': databaseSlow,
  'PostgreSQL locked': databaseLocked,
  'PostgreSQL out of connections': databaseCrowded,
  'PostgreSQL failed over': databaseFailedOver,
} satisfies Record<string, FaultKind>;
