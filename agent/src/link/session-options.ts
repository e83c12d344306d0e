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

/** Dependencies and callbacks of one link. */
export interface SessionOptions {
  /** http or https URL of the control plane. */
  readonly controlUrl: string;
  /** Opens a socket to the control plane; one that can't be opened emits 'error' and 'close'. */
  readonly dial: (controlUrl: string) => LinkSocket;
  readonly identity: NodeIdentity;
  readonly handshake: Handshake;
  readonly spool: Spool;
  readonly jobs: Jobs;
  readonly schedule: Pick<Schedule, 'take' | 'checkNow' | 'digest' | 'setLeaseSeconds' | 'takeLoopLag'>;
  readonly upgrades: Upgrades;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** The target lists of the control plane, with the welcome and whenever they change. */
  readonly onLists: (lists: ControlPlaneLists) => void;
  /** Called with the canaries of the node's self-test, at the welcome and whenever they change. */
  readonly onCanaries: (canaries: readonly string[]) => void;
  /** Current states of everything this node watches, sent once before the backlog. */
  readonly states: () => Promise<readonly WatchedState[]>;
  /** The newest self-test; null before the first. */
  readonly selfTest: () => SelfTestReport | null;
  /** Called with the control plane's URLs, at the welcome and whenever they change; empty: no change. */
  readonly onControlUrls: (urls: readonly string[]) => void;
  readonly onOpen: (sessionId: string) => void;
}
