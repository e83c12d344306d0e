import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.js';
import { Ingest, type IngestMetrics, type IngestStore } from '../ingest/index.js';
import {
  followDirectory,
  type LinkRecords,
  type LinkSessionsPorts,
  LinkStore,
  type LinkTable,
} from '../links/index.js';
import type { NodeDirectory } from '../modules/nodes/index.js';
import { Dispatch, type DispatchStore, RecentTasks, Waiters } from '../modules/probes/index.js';

/** What links, ingest and dispatch stand on. */
export interface LinkWorkPorts
  extends Pick<
    LinkSessionsPorts,
    'identity' | 'audience' | 'table' | 'checkStorage' | 'states' | 'assigned' | 'config' | 'onSetBack' | 'clock'
  > {
  readonly stores: {
    readonly links: LinkRecords;
    readonly ingest: IngestStore;
    readonly dispatch: DispatchStore;
  };
  readonly replicaId: string;
  readonly directory: NodeDirectory;
  readonly bus: Bus;
  readonly metrics: IngestMetrics;
  /** Writes into each result before it is stored; absent: nothing. */
  readonly annotate?: ConstructorParameters<typeof Ingest>[0]['annotate'];
  /** What results there are; all that this build knows by default. */
  readonly kinds?: ConstructorParameters<typeof Ingest>[0]['kinds'];
  /** Notes where a node connects from; absent: nobody does. */
  readonly place?: ConstructorParameters<typeof LinkStore>[0]['place'];
  readonly logOf: (part: 'ingest' | 'dispatch' | 'links') => Logger;
}

/** Work out to nodes and results in, and what the sessions of this replica use. */
export interface LinkWork {
  readonly ingest: Ingest;
  readonly dispatch: Dispatch;
  readonly recent: RecentTasks;
  readonly waiters: Waiters;
  readonly sessions: LinkSessionsPorts;
}

/** Builds it; nothing runs yet. The simulation builds the same on ports of its own. */
export function wireLinkWork(ports: LinkWorkPorts): LinkWork {
  const { stores, replicaId, directory, bus, metrics, annotate, kinds, place, logOf, ...own } = ports;
  const { clock, table } = own;
  const [waiters, recent] = [new Waiters(), new RecentTasks(clock)];
  const notes = { ...(annotate === undefined ? {} : { annotate }), ...(kinds === undefined ? {} : { kinds }) };
  const ingest = new Ingest({ store: stores.ingest, clock, log: logOf('ingest'), metrics, ...notes });
  spreadFinished(ingest, bus, { recent, waiters });
  const dispatch = new Dispatch({
    store: stores.dispatch,
    replicaId,
    directory,
    bus,
    waiters,
    recent,
    metrics,
    clock,
    links: table,
    log: logOf('dispatch'),
  });
  const places = place === undefined ? {} : { place };
  const announce = (ids: readonly string[]) => directory.announce(ids);
  const store = new LinkStore({ records: stores.links, replicaId, announce, ...places });
  const sessions = { ...own, store, directory, ingest, work: dispatch, log: logOf('links') };
  return { ingest, dispatch, recent, waiters, sessions };
}

/** Links hear what becomes of their nodes, and that the database may have lost something. */
export function followNews(
  directory: NodeDirectory,
  table: LinkTable,
  sessions: { lookForLoss(): Promise<void> },
): void {
  followDirectory(directory, table);
  directory.onReturn(() => void sessions.lookForLoss());
}

/** Who waits for a task hears that it is finished, on whichever replica. */
function spreadFinished(ingest: Ingest, bus: Bus, { recent, waiters }: Pick<LinkWork, 'recent' | 'waiters'>): void {
  ingest.onFinished((results) => {
    recent.finish(results);
    const taskIds = [...new Set(results.map(({ requestId }) => requestId))];
    waiters.wake(taskIds);
    bus.broadcast({ type: 'finished', ids: taskIds });
  });
  bus.onMessage((message) => {
    if (message.type !== 'finished') return;
    recent.forget(message.ids);
    waiters.wake(message.ids);
  });
}
