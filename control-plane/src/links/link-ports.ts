import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Ingest } from '../ingest/index.js';
import type { ReadAssigned } from './assignments-out.js';
import type { NodeNewsSource } from './fencing.js';
import type { FlowControl } from './flow-control.js';
import type { LinkConfig } from './link-config.js';
import type { LinkStore } from './link-store.js';
import type { LinkTable } from './link-table.js';
import type { ServerIdentity } from './server-identity.js';
import type { LinkSession } from './session.js';
import type { StatesPorts } from './states-in.js';
import type { StorageWatch } from './storage-watch.js';

/** What happens to work when links come and go; no link waits for it, and none ends when it fails. */
export interface LinkWork {
  /** The link is open: give the node what waits for it. */
  onOpened(session: LinkSession): void;
  /** Everything the node held when it connected is stored now. */
  onCaughtUp(session: LinkSession): void;
  /** The link is gone and the database knows. */
  onClosed(session: LinkSession): void;
}

/** What a session uses. */
export interface LinkPorts {
  readonly store: LinkStore;
  readonly identity: ServerIdentity;
  readonly audience: string;
  readonly table: LinkTable;
  readonly directory: NodeNewsSource;
  readonly ingest: Ingest;
  readonly storage: StorageWatch;
  readonly flow: Pick<FlowControl, 'initial' | 'watch'>;
  readonly states: StatesPorts;
  readonly work: LinkWork;
  /** What a node is to watch. */
  readonly assigned: ReadAssigned;
  /** A node numbers its results from below what is stored of it: an older copy of its state directory, or a crash. */
  readonly onSetBack: () => void;
  readonly config: () => LinkConfig;
  readonly isStopping: () => boolean;
  /** Where the agent connects from: its own address, as the world sees it, '' when unknown. */
  readonly peerAddress: string;
  readonly clock: Clock;
  readonly log: Logger;
}
