import type { SimulatedProcess } from './process.js';
import { SimulatedSocket } from './socket.js';
import { Way } from './way.js';
import type { World } from './world.js';

/** Both ends of one TCP connection. */
export interface Connection {
  readonly agent: SimulatedSocket;
  readonly server: SimulatedSocket;
  readonly way: Way;
}

/** Process that listens at an address. */
export interface Listener {
  readonly process: SimulatedProcess;
  /** Accepts the server's end of a connection. */
  accept(socket: SimulatedSocket): void;
}

/** Observer of the wire. */
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

  /** True if no end of a connection waits for one that is gone. */
  get isWhole(): boolean {
    return this.connections.every(({ agent, server }) => agent.isJoined && server.isJoined);
  }

  /** Lets `listener` accept connections at `url` from now on. */
  listen(url: string, listener: Listener): void {
    this.#listeners.set(url, listener);
    listener.process.onDeath(() => {
      if (this.#listeners.get(url) === listener) this.#listeners.delete(url);
    });
  }

  /** Ends the listener at `url`; existing connections remain. */
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

  /** Resets a connection; both ends learn of it as soon as something gets through to them. */
  reset(connection: Connection): void {
    connection.agent.reset();
    connection.server.reset();
  }

  #connect(agent: SimulatedSocket, way: Way, url: string): void {
    const listener = this.#listeners.get(url);
    if (agent.isGivenUp) return;
    if (listener === undefined || listener.process.isDead) return agent.refuse();
    // the kernel accepts connections for a suspended process
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
