import type { Logger } from 'pino';
import { Ingest, type IngestMetrics, type IngestStore } from '../ingest/index.js';
import {
  followDirectory,
  type LinkRecords,
  type LinkSessionsPorts,
  LinkStore,
  type LinkTable,
} from '../links/index.js';
import type { NodeDirectory } from '../modules/nodes/index.js';
import type { ProbeWork } from '../modules/probes/index.js';

/** The ports of links and ingest. */
export interface LinkWorkPorts
  extends Pick<
    LinkSessionsPorts,
    'identity' | 'audience' | 'table' | 'checkStorage' | 'states' | 'assigned' | 'config' | 'onSetBack' | 'clock'
  > {
  readonly stores: {
    readonly links: LinkRecords;
    readonly ingest: IngestStore;
  };
  readonly replicaId: string;
  readonly directory: NodeDirectory;
  readonly probeWork: ProbeWork;
  readonly metrics: IngestMetrics;
  /** Adds to each result before it is stored; absent: nothing. */
  readonly annotate?: ConstructorParameters<typeof Ingest>[0]['annotate'];
  /** Kinds of results; default: all that this build knows. */
  readonly kinds?: ConstructorParameters<typeof Ingest>[0]['kinds'];
  /** Notes where a node connects from; absent: this is not noted. */
  readonly place?: ConstructorParameters<typeof LinkStore>[0]['place'];
  readonly logOf: (part: 'ingest' | 'links') => Logger;
}

/** Ingest, and the ports of the sessions of this replica. */
export interface LinkWork {
  readonly ingest: Ingest;
  readonly sessions: LinkSessionsPorts;
}

/** Builds it; nothing runs yet. The simulation builds the same on ports of its own. */
export function wireLinkWork(ports: LinkWorkPorts): LinkWork {
  const { stores, replicaId, directory, probeWork, metrics, annotate, kinds, place, logOf, ...own } = ports;
  const notes = { ...(annotate === undefined ? {} : { annotate }), ...(kinds === undefined ? {} : { kinds }) };
  const ingest = new Ingest({ store: stores.ingest, clock: own.clock, log: logOf('ingest'), metrics, ...notes });
  ingest.onFinished((results) => probeWork.finish(results));
  const places = place === undefined ? {} : { place };
  const announce = (ids: readonly string[]) => directory.announce(ids);
  const store = new LinkStore({ records: stores.links, replicaId, announce, ...places });
  const sessions = { ...own, store, directory, ingest, work: probeWork.dispatch, log: logOf('links') };
  return { ingest, sessions };
}

/** Passes to links the changes of their nodes, and a possible loss of data in the database. */
export function followChanges(
  directory: NodeDirectory,
  table: LinkTable,
  sessions: { lookForLoss(): Promise<void> },
): void {
  followDirectory(directory, table);
  directory.onReturn(() => void sessions.lookForLoss());
}
