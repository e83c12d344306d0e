import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import type { Line, LineUser } from './line.js';
import { resetSocket } from './reset-socket.js';
import { ToxicFlow } from './toxic-flow.js';

// client ──> proxy ──> server, each connection on the line of its way:
//
//   accepted ──line stalled──> waiting ──healed──> connecting ──> flowing ──end or cut──> closed
//                                                      │  refused: the next way, or a reset when there is none

/** One way to a server. */
export interface Way {
  readonly to: NetConnectOpts;
  readonly line: Line;
}

/** Sees both directions of one connection. */
export interface Tap {
  up(bytes: Buffer): void;
  down(bytes: Buffer): void;
}

export interface ToxicProxyOptions {
  readonly clock: Clock;
  /** 0 <= r < 1; for jitter. */
  readonly random: () => number;
  /** 0: any port. */
  readonly port?: number;
  /** Sees what passes on a connection, before the weather does. */
  readonly tap?: () => Tap;
  /** The ways that a connection from this address is tried on, best first; none: it is reset. */
  readonly waysFrom: (address: string) => readonly Way[];
}

const HOST = '127.0.0.1';

/** A TCP proxy on loopback whose lines can be made bad while it runs. */
export class ToxicProxy {
  readonly #options: ToxicProxyOptions;
  readonly #connections = new Set<Connection>();
  #server: Server | null = null;

  private constructor(
    options: ToxicProxyOptions,
    /** Port on which it listens, also while it refuses. */
    readonly port: number,
  ) {
    this.#options = options;
  }

  static async start(options: ToxicProxyOptions): Promise<ToxicProxy> {
    const server = await listen(options.port ?? 0);
    const address = server.address();
    const proxy = new ToxicProxy(options, typeof address === 'object' ? (address?.port ?? 0) : 0);
    proxy.#serve(server);
    return proxy;
  }

  /** Ends connections in no time and the listening socket with them; may be called twice. */
  async stop(): Promise<void> {
    await this.refuse();
    for (const connection of this.#connections) connection.cut('rst');
  }

  /** New connections are refused, as by a machine where no one listens; those there are live on. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    // its 'close' event waits for the connections
    if (server !== null) server.close();
    await new Promise(setImmediate);
  }

  /** Accepts connections again. */
  async accept(): Promise<void> {
    if (this.#server === null) this.#serve(await listen(this.port));
  }

  #serve(server: Server): void {
    this.#server = server;
    server.on('connection', (socket) => {
      const ways = this.#options.waysFrom(socket.remoteAddress ?? '');
      const connection = new Connection(socket, ways, this.#options, () => this.#connections.delete(connection));
      this.#connections.add(connection);
      connection.begin();
    });
  }
}

/** A client's half-closed connection stays open: HTTP's may. */
async function listen(port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  server.listen(port, HOST);
  await once(server, 'listening');
  return server;
}

/** One connection of a client, on one way at a time. */
class Connection implements LineUser {
  readonly #client: Socket;
  readonly #options: ToxicProxyOptions;
  readonly #ways: Way[];
  readonly #onClosed: () => void;
  #server: Socket | null = null;
  #flows: readonly ToxicFlow[] = [];
  #leaveLine = () => {};
  #isClosed = false;
  #openSides = 2;

  constructor(client: Socket, ways: readonly Way[], options: ToxicProxyOptions, onClosed: () => void) {
    this.#client = client;
    this.#ways = [...ways];
    this.#options = options;
    this.#onClosed = onClosed;
    client.on('error', () => {});
    client.pause();
  }

  begin(): void {
    const [way] = this.#ways;
    if (way === undefined) return this.cut('rst');
    this.#leaveLine();
    const leave = way.line.join(this);
    this.#leaveLine = () => void leave();
    this.#connectUnlessStalled();
  }

  onWeather(): void {
    if (this.#server === null) this.#connectUnlessStalled();
    for (const flow of this.#flows) flow.pump();
  }

  cut(by: 'rst' | 'fin'): void {
    for (const flow of this.#flows) flow.stop();
    for (const socket of [this.#client, this.#server]) {
      if (by === 'fin') socket?.end(() => socket.destroy());
      else if (socket) resetSocket(socket);
    }
    this.#close();
  }

  /** Neither a SYN nor its answer passes a partition. */
  #connectUnlessStalled(): void {
    const [way] = this.#ways;
    if (way === undefined || this.#isClosed) return;
    if (way.line.weather('up').isStalled || way.line.weather('down').isStalled) return;
    const server = connect({ ...way.to, allowHalfOpen: true, noDelay: true });
    this.#server = server;
    server.on('error', () => {});
    server.once('connect', () => this.#flow(server, way.line));
    server.once('close', () => this.#flows.length === 0 && this.#tryNext());
  }

  #tryNext(): void {
    if (this.#isClosed) return;
    this.#server = null;
    this.#ways.shift();
    this.begin();
  }

  #flow(server: Socket, line: Line): void {
    // it was reset while it was not being read
    if (this.#client.destroyed) return this.cut('rst');
    const { clock, random } = this.#options;
    const onLimit = () => this.cut('rst');
    const up = { source: this.#client, sink: server, weather: () => line.weather('up') };
    const down = { source: server, sink: this.#client, weather: () => line.weather('down') };
    this.#flows = [up, down].map((ends) => new ToxicFlow({ ...ends, clock, random, onLimit }));
    const tap = this.#options.tap?.();
    this.#client.on('data', (bytes) => tap?.up(bytes));
    server.on('data', (bytes) => tap?.down(bytes));
    for (const socket of [this.#client, server]) {
      socket.once('close', () => {
        this.#openSides -= 1;
        if (this.#openSides === 0) this.#close();
      });
      socket.resume();
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#leaveLine();
    this.#onClosed();
  }
}
