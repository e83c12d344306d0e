import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { databaseServer, databaseThrough } from './database.js';

// control plane ──> tap ──> PostgreSQL
//
//   before  the statement never leaves the tap: nothing is committed
//   after   the statement runs and commits, its response never leaves the tap

/** Side of its commit on which a statement is caught. */
export type Moment = 'before' | 'after';

/** A route to a database that catches one statement by its name, or any other part of it. */
export class StatementTap {
  readonly url: string;
  readonly #sockets = new Set<Socket>();
  #armed: { readonly name: string; readonly moment: Moment; readonly onCaught: () => void } | null = null;

  private constructor(
    proxyUrl: string,
    private readonly databaseUrl: string,
  ) {
    this.url = databaseThrough(proxyUrl, databaseUrl);
  }

  static async start(t: Test, databaseUrl: string): Promise<StatementTap> {
    const server = createServer((socket) => {
      const onward = tap.#connect();
      for (const each of [socket, onward]) {
        tap.#sockets.add(each);
        each.on('error', () => {}).on('close', () => tap.#sockets.delete(each));
      }
      tap.#join(socket, onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const tap = new StatementTap(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, databaseUrl);
    t.teardown(() => {
      tap.cut();
      return new Promise((resolve) => server.close(resolve));
    });
    return tap;
  }

  /** Catches the next run of this statement, on any connection; resolves when it is caught. */
  catchNext(name: string, moment: Moment): Promise<void> {
    return new Promise((resolve) => {
      this.#armed = { name, moment, onCaught: resolve };
    });
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): Socket {
    const server = databaseServer(this.databaseUrl);
    if (server.startsWith('/')) return connect({ path: server });
    const { hostname, port } = new URL(server);
    return connect(Number(port), hostname);
  }

  #join(socket: Socket, onward: Socket): void {
    let held: Moment | null = null;
    let onAnswered = () => {};
    socket.on('data', (bytes) => {
      const armed = this.#armed;
      if (held === null && armed !== null && bytes.includes(armed.name)) {
        this.#armed = null;
        held = armed.moment;
        if (held === 'before') armed.onCaught();
        onAnswered = armed.onCaught;
      }
      if (held !== 'before') onward.write(bytes);
    });
    onward.on('data', (bytes) => {
      if (held === null) socket.write(bytes);
      // ReadyForQuery, outside of a transaction: the request is done (PostgreSQL documentation, section 55.7)
      else if (bytes.subarray(-6).equals(Buffer.from('Z\0\0\0\x05I', 'latin1'))) onAnswered();
    });
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  }
}
