import type { SimulatedProcess } from './process.js';
import type { SeededRandom } from './random.js';
import { SimulatedSocket } from './socket.js';
import type { World } from './world.js';

/** Two directions of one agent's way to the control planes. */
export type Direction = 'up' | 'down';

/** How the way between an agent and the control planes is. */
export class Way {
  /** One direction, milliseconds, and what a message may take beyond that. */
  latencyMs = 20;
  jitterMs = 5;
  /** Bytes a second; nothing is slower than what it waits for. */
  bytesPerSecond = Number.POSITIVE_INFINITY;
  /** Nothing gets through; what was sent waits, as TCP sends it again. */
  readonly isBlocked: Record<Direction, boolean> = { up: false, down: false };
  readonly #waiting = new Set<() => void>();

  constructor(readonly random: SeededRandom) {}

  block(...directions: readonly Direction[]): void {
    for (const direction of directions) this.isBlocked[direction] = true;
  }

  unblock(): void {
    this.isBlocked.up = false;
    this.isBlocked.down = false;
    for (const listener of Array.from(this.#waiting)) listener();
  }

  /** Calls back whenever something may get through again. */
  onUnblocked(listener: () => void): () => void {
    this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  }
}

/** Both ends of one TCP connection. */
export interface Connection {
  readonly agent: SimulatedSocket;
  readonly server: SimulatedSocket;
  readonly way: Way;
}

/** Who answers at an address. */
export interface Listener {
  readonly process: SimulatedProcess;
  /** Takes the server's end of a connection. */
  accept(socket: SimulatedSocket): void;
}

/** What goes over the wire, seen from outside. */
export interface WireTap {
  /** An agent handed a message to its socket. */
  onSent(nodeId: string, message: Uint8Array): void;
  /** A message of a control plane reached an agent. */
  onReceived(nodeId: string, message: Uint8Array): void;
}

/** Every connection between agents and control planes. */
export class Network {
  readonly #world: World;
  readonly #tap: WireTap;
  readonly #listeners = new Map<string, Listener>();
  readonly #ways = new Map<string, Way>();
  readonly #connections = new Set<Connection>();

  constructor(world: World, tap: WireTap) {
    this.#world = world;
    this.#tap = tap;
  }

  /** The way of a node to the control planes. */
  wayOf(nodeId: string): Way {
    let way = this.#ways.get(nodeId);
    if (way === undefined) this.#ways.set(nodeId, (way = new Way(this.#world.random.fork())));
    return way;
  }

  get ways(): Iterable<Way> {
    return this.#ways.values();
  }

  /** Connections that neither end has given up. */
  get connections(): readonly Connection[] {
    return [...this.#connections];
  }

  /** Whether no end of a connection waits for one that is gone. */
  get isWhole(): boolean {
    return this.connections.every(({ agent, server }) => agent.isJoined && server.isJoined);
  }

  /** From now on `listener` answers at `url`. */
  listen(url: string, listener: Listener): void {
    this.#listeners.set(url, listener);
    listener.process.onDeath(() => {
      if (this.#listeners.get(url) === listener) this.#listeners.delete(url);
    });
  }

  /** Nobody answers at `url` any more; what is connected stays so. */
  unlisten(url: string): void {
    this.#listeners.delete(url);
  }

  /** An agent dials: the socket opens, or ends with an error. */
  dial(process: SimulatedProcess, nodeId: string, url: string): SimulatedSocket {
    const way = this.wayOf(nodeId);
    const agent = new SimulatedSocket(process, way, 'up', { onSent: (message) => this.#tap.onSent(nodeId, message) });
    agent.onReceived = (message) => this.#tap.onReceived(nodeId, message);
    // out and back, twice: TCP, then the upgrade
    agent.whenThrough(4 * way.latencyMs, () => this.#connect(agent, way, url));
    return agent;
  }

  /** The machine of a process is gone without a word: its peers are left with half a connection. */
  vanish(process: SimulatedProcess): void {
    for (const { agent, server } of this.#connections) {
      if (agent.process === process) agent.lose();
      if (server.process === process) server.lose();
    }
  }

  /** Both ends hear that the connection is reset, as soon as something gets through to them. */
  reset(connection: Connection): void {
    connection.agent.reset();
    connection.server.reset();
  }

  #connect(agent: SimulatedSocket, way: Way, url: string): void {
    const listener = this.#listeners.get(url);
    if (agent.isGivenUp) return;
    if (listener === undefined || listener.process.isDead) return agent.refuse();
    // the kernel accepts for a process that stands still
    const server = new SimulatedSocket(listener.process, way, 'down', {});
    const connection = { agent, server, way };
    this.#connections.add(connection);
    const forget = () => {
      if (agent.isGivenUp && server.isGivenUp) this.#connections.delete(connection);
    };
    agent.join(server, forget);
    server.join(agent, forget);
    listener.process.after(0, () => listener.accept(server));
    agent.opened();
  }
}
