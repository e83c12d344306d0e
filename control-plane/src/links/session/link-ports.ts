import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Ingest } from '../../ingest/index.js';
import type { LinkStore } from '../records/link-store.js';
import type { ServerIdentity } from '../records/server-identity.js';
import type { AssignedReads } from '../traffic/assigned-reads.js';
import type { FlowControl } from '../traffic/flow-control.js';
import type { LinkConfig } from '../traffic/link-config.js';
import type { StatesPorts } from '../traffic/states-in.js';
import type { StorageWatch } from '../traffic/storage-watch.js';
import type { Link } from './link.js';
import type { LinkTable } from './link-table.js';
import type { NodeFactsSource } from './node-facts.js';

/** Effects on work when links open and close; no link waits for them, and none ends when they fail. */
export interface LinkWork {
  /** Sends the node its pending work after its link has opened. */
  onOpened(session: Link): void;
  /** Called when everything that the node held when it connected is stored. */
  onCaughtUp(session: Link): void;
  /** Called when the link is closed and the database has noted it. */
  onClosed(session: Link): void;
}

/** Dependencies of a session. */
export interface LinkPorts {
  readonly store: LinkStore;
  readonly identity: ServerIdentity;
  readonly audience: string;
  readonly table: LinkTable;
  readonly directory: NodeFactsSource;
  readonly ingest: Ingest;
  readonly storage: StorageWatch;
  readonly flow: Pick<FlowControl, 'initial' | 'watch'>;
  readonly states: StatesPorts;
  readonly work: LinkWork;
  readonly assigned: AssignedReads;
  /**
   * Called if a node numbers its results from below what is stored of it: an older copy of its state directory, or a
   * crash.
   */
  readonly onSetBack: () => void;
  readonly config: () => LinkConfig;
  readonly isStopping: () => boolean;
  /** Public address that the agent connects from; '' if unknown. */
  readonly peerAddress: string;
  readonly clock: Clock;
  readonly log: Logger;
}
