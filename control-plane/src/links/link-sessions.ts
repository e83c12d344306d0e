import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import { type DepartureOptions, sendElsewhere } from './departure.js';
import { FlowControl } from './flow-control.js';
import type { LinkPorts } from './link-ports.js';
import { closeForgotten } from './lost-records.js';
import { LinkSession } from './session.js';
import { StorageWatch } from './storage-watch.js';

/** What all sessions of a replica use. */
export interface LinkSessionsPorts extends Omit<LinkPorts, 'isStopping' | 'peerAddress' | 'flow' | 'storage'> {
  /** Rejects while the database is not there. */
  readonly checkStorage: () => Promise<void>;
}

/** The sessions of one replica, from the open socket on, and what they share. */
export class LinkSessions {
  readonly #ports: LinkSessionsPorts;
  readonly #sessions = new Set<LinkSession>();
  readonly #flow: FlowControl;
  readonly #storage: StorageWatch;
  #isLeaving = false;
  #isStopping = false;

  constructor(ports: LinkSessionsPorts) {
    const { clock, log, table, ingest, checkStorage: check } = ports;
    this.#ports = ports;
    this.#storage = new StorageWatch({ clock, log, check, isStopping: () => this.#isStopping });
    this.#flow = new FlowControl({ clock, links: table, pressure: () => ingest.pressure() });
  }

  /** Whether no new links are wanted. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Takes over an open socket; `onAuthenticated` is called when its peer has proved who it is, or is gone. */
  begin(socket: LinkSocket, peerAddress: string, onAuthenticated: () => void): LinkSession {
    const ports = {
      ...this.#ports,
      flow: this.#flow,
      storage: this.#storage,
      isStopping: () => this.#isStopping,
      peerAddress,
    };
    const session = new LinkSession(socket, ports, onAuthenticated);
    this.#sessions.add(session);
    socket.once('close', () => {
      void session.ended().finally(() => this.#sessions.delete(session));
    });
    return session;
  }

  /**
   * After the database was away: links of which it has forgotten something begin anew, and what it has forgotten of assignments
   * the other nodes hear. Never rejects.
   */
  async lookForLoss(): Promise<void> {
    const { table, store, log } = this.#ports;
    try {
      const count = await closeForgotten(table, (links) => store.findLinks(links));
      if (count > 0) log.error({ links: count }, 'the database has lost what it had stored: agents send it again');
      for (const session of table.all()) session.lookForAssignments();
    } catch (error) {
      log.warn({ err: error }, 'not known whether the database has lost something');
    }
  }

  /** Sends those that are here elsewhere, one after another. `stop` ends what is left. */
  async drain(departure: Omit<DepartureOptions, 'clock'>): Promise<void> {
    this.#isLeaving = true;
    const urls = departure.urls.length > 0 ? departure.urls : this.#ports.config().controlUrls;
    await sendElsewhere([...this.#sessions], { ...departure, urls, clock: this.#ports.clock });
  }

  /** Asks every agent to go elsewhere and waits until the database knows. */
  async stop(): Promise<void> {
    this.#isLeaving = true;
    this.#isStopping = true;
    const advice = { controlUrls: this.#ports.config().controlUrls };
    for (const session of this.#sessions) session.close('CLOSE_DRAINING', 'this replica is stopping', advice);
    await Promise.all([...this.#sessions].map((session) => session.ended()));
  }
}
