import type { Clock } from '@vantage/shared/clock.js';
import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { Logger } from 'pino';
import type { NodeIdentity } from '../identity/identity.js';
import type { ControlPlaneLists } from '../measuring/policy-source.js';
import type { Schedule } from '../schedule/schedule.js';
import type { Spool } from '../spool/spool.js';
import type { Upgrades } from '../upgrade/upgrades.js';
import type { ClockSync } from './clock-sync.js';
import type { Handshake } from './handshake.js';
import type { Jobs } from './jobs.js';
import type { WatchedState } from './state-sources.js';

/** What one link uses, and whom it tells. */
export interface SessionOptions {
  /** http or https URL of the control plane. */
  readonly controlUrl: string;
  /** Opens a socket to the control plane; one that can't be opened emits 'error' and 'close'. */
  readonly dial: (controlUrl: string) => LinkSocket;
  readonly identity: NodeIdentity;
  readonly handshake: Handshake;
  readonly spool: Spool;
  readonly jobs: Jobs;
  /** What this node watches; absent: nothing, ever, and it says so. */
  readonly schedule?: Pick<Schedule, 'take' | 'digest' | 'setLeaseSeconds' | 'takeLoopLag'>;
  readonly upgrades: Upgrades;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** The target lists of the control plane, with the welcome and whenever they change. */
  readonly onLists: (lists: ControlPlaneLists) => void;
  /** What a node checks its own network with, with the welcome and whenever that changes. */
  readonly onCanaries: (canaries: readonly string[]) => void;
  /** What this node watches, told once before the backlog. */
  readonly states: () => Promise<readonly WatchedState[]>;
  /** The newest self-test; null before the first. */
  readonly selfTest: () => SelfTestReport | null;
  /** Where the control plane can be reached, with the welcome and whenever that changes; empty: nothing new. */
  readonly onControlUrls: (urls: readonly string[]) => void;
  readonly onOpen: (sessionId: string) => void;
}
