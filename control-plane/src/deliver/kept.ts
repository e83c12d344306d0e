import type { Connection } from './connection.js';
import type { Address } from './pinned.js';

// Connections between two exchanges:
//
//   exchange ends, its response was read whole ──keep──> idle, at most 4 s ──take──> exchange of the same origin and key
//                                                          │                         whose own addresses include the peer
//                                                          └──> closed: by the server, when too many are kept, when an
//                                                               exchange may not reach the peer, when the policy changes

/** Greatest number of connections without a request. */
const MAX_KEPT = 512;
/** Greatest number of these to one origin. */
const MAX_KEPT_PER_ORIGIN = 128;

/** Requests that may share a connection. */
export interface Sharing {
  /** Scheme, host name and port. */
  readonly origin: string;
  /** Name of all further properties that the requests have in common. */
  readonly key: string;
}

/** Established connections without a request, for the next exchanges. It owns them until they are taken. */
export class KeptConnections {
  /** Keys of the connections, the oldest first. */
  readonly #keys = new Map<Connection, Sharing>();
  readonly #byOrigin = new Map<string, Set<Connection>>();
  #isStopped = false;

  /** Number of connections without a request. */
  get count(): number {
    return this.#keys.size;
  }

  /** Takes the connection that was used last, if its peer is among `addresses`; those to other peers are closed. */
  take({ origin, key }: Sharing, addresses: readonly Address[]): Connection | null {
    let found: Connection | null = null;
    for (const connection of this.#byOrigin.get(origin) ?? []) {
      if (this.#keys.get(connection)?.key !== key) continue;
      if (!connection.isTo(addresses)) this.#close(connection);
      else if (connection.isOpen) found = connection;
    }
    if (found !== null) this.#forget(found);
    return found;
  }

  /** Keeps a connection whose exchange has ended, or closes it. */
  keep(sharing: Sharing, connection: Connection): void {
    const ofOrigin = this.#byOrigin.get(sharing.origin) ?? new Set();
    if (this.#isStopped || !connection.isOpen || ofOrigin.size >= MAX_KEPT_PER_ORIGIN) {
      connection.close();
      return;
    }
    const [oldest] = this.#keys.keys();
    if (oldest !== undefined && this.#keys.size >= MAX_KEPT) this.#close(oldest);
    this.#keys.set(connection, sharing);
    this.#byOrigin.set(sharing.origin, ofOrigin.add(connection));
    connection.onClosed = () => this.#forget(connection);
  }

  /** Closes the connections to an origin. */
  drop(origin: string): void {
    for (const connection of this.#byOrigin.get(origin) ?? []) this.#close(connection);
  }

  /** Closes all connections. */
  dropAll(): void {
    for (const connection of this.#keys.keys()) this.#close(connection);
  }

  /** Closes all connections, and those that are still to be kept. */
  stop(): void {
    this.#isStopped = true;
    this.dropAll();
  }

  #close(connection: Connection): void {
    this.#forget(connection);
    connection.close();
  }

  #forget(connection: Connection): void {
    const sharing = this.#keys.get(connection);
    if (sharing === undefined) return;
    this.#keys.delete(connection);
    const ofOrigin = this.#byOrigin.get(sharing.origin);
    ofOrigin?.delete(connection);
    if (ofOrigin?.size === 0) this.#byOrigin.delete(sharing.origin);
  }
}
