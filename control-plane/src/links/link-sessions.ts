import { delay } from '@vantage/shared/clock.js';
import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import { type DepartureOptions, sendElsewhere } from './session/departure.js';
import type { LinkPorts } from './session/link-ports.js';
import { closeForgotten } from './session/lost-records.js';
import { LinkSession } from './session/session.js';
import { FlowControl } from './traffic/flow-control.js';
import { StorageWatch } from './traffic/storage-watch.js';

const LOOK_AGAIN_MS = 1_000;

/** Dependencies that all sessions of a replica share. */
export interface LinkSessionsPorts extends Omit<LinkPorts, 'isStopping' | 'peerAddress' | 'flow' | 'storage'> {
  /** Rejects while the database is unavailable. */
  readonly checkStorage: () => Promise<void>;
}

/** Sessions of one replica, from the open socket on, and the parts they share. */
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

  /** True if no new links are accepted. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Takes over an open socket; `onAuthenticated` is called when its peer is authenticated, or has disconnected. */
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
   * Recovers after the database was unavailable: closes links whose records it has lost, so that they begin again, and
   * compares the assignments of the other nodes again. Retries until the database replies: nothing else does before the
   * next outage. Never rejects.
   */
  async lookForLoss(): Promise<void> {
    while (!this.#isStopping && !(await this.#hasLookedForLoss())) await delay(this.#ports.clock, LOOK_AGAIN_MS);
  }

  async #hasLookedForLoss(): Promise<boolean> {
    const { table, store, log } = this.#ports;
    try {
      const count = await closeForgotten(table, (links) => store.findLinks(links));
      if (count > 0) log.error({ links: count }, 'database has lost stored records: agents send them again');
      for (const session of table.all()) session.lookForAssignments();
      return true;
    } catch (error) {
      log.warn({ err: error }, 'cannot look for records that the database lost');
      return false;
    }
  }

  /** Sends the agents of this replica elsewhere, one after another. `stop` ends the rest. */
  async drain(departure: Omit<DepartureOptions, 'clock'>): Promise<void> {
    this.#isLeaving = true;
    const urls = departure.urls.length > 0 ? departure.urls : this.#ports.config().controlUrls;
    await sendElsewhere([...this.#sessions], { ...departure, urls, clock: this.#ports.clock });
  }

  /** Asks every agent to connect elsewhere and waits until the database has noted it. */
  async stop(): Promise<void> {
    this.#isLeaving = true;
    this.#isStopping = true;
    const advice = { controlUrls: this.#ports.config().controlUrls };
    for (const session of this.#sessions) session.close('CLOSE_DRAINING', 'this replica is stopping', advice);
    await Promise.all([...this.#sessions].map((session) => session.ended()));
  }
}
