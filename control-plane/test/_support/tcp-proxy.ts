import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A TCP balancer in front of the control planes of a test, which the test directs. */
export class TcpProxy {
  /** Both ends of every connection, each with the address of the caller. */
  readonly #sockets = new Map<Socket, string>();
  /** Routes of callers that have one of their own; null if their connections are refused. */
  readonly #ways = new Map<string, NetConnectOpts | null>();
  #target: NetConnectOpts | null = null;

  private constructor(readonly url: string) {}

  static async start(t: Test): Promise<TcpProxy> {
    const server = createServer((socket) => proxy.#forward(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new TcpProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    t.teardown(() => {
      proxy.cut();
      return new Promise((resolve) => server.close(resolve));
    });
    return proxy;
  }

  /** Directs new connections to this origin, or to the server behind the path of this socket. */
  forwardTo(origin: string): void {
    this.#target = wayTo(origin);
  }

  /** Directs connections from this address to this origin from now on, regardless of others. */
  forwardFrom(address: string, origin: string): void {
    this.#ways.set(address, wayTo(origin));
  }

  /** Ends every connection and refuses new ones until forwardTo() is called. */
  cut(): void {
    this.#target = null;
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  /** Ends every connection from this address and refuses new ones until forwardFrom() is called. */
  cutFrom(address: string): void {
    this.#ways.set(address, null);
    for (const [socket, caller] of this.#sockets) if (caller === address) socket.destroy();
  }

  /** True if a connection from this address is open. */
  isOpenFrom(address: string): boolean {
    return [...this.#sockets.values()].includes(address);
  }

  #forward(socket: Socket): void {
    const caller = socket.remoteAddress ?? '';
    const own = this.#ways.get(caller);
    const target = own === undefined ? this.#target : own;
    if (target === null) return void socket.destroy();
    const onward = connect(target);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.set(one, caller);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.end();
      });
      one.pipe(other);
    }
  }
}

/** An origin, or the path of a socket. */
function wayTo(origin: string): NetConnectOpts {
  if (origin.startsWith('/')) return { path: origin };
  return { port: Number(new URL(origin).port), host: new URL(origin).hostname };
}
