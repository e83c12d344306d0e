import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A TCP balancer in front of the control planes of a test, which says where the next connection goes. */
export class TcpProxy {
  readonly #sockets = new Set<Socket>();
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

  /** Connections from now on go to this origin, or to the server behind this socket's path. */
  forwardTo(origin: string): void {
    if (origin.startsWith('/')) this.#target = { path: origin };
    else this.#target = { port: Number(new URL(origin).port), host: new URL(origin).hostname };
  }

  /** Ends every connection and refuses new ones until forwardTo() says where they go. */
  cut(): void {
    this.#target = null;
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(socket: Socket): void {
    if (this.#target === null) return void socket.destroy();
    const onward = connect(this.#target);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.end();
      });
      one.pipe(other);
    }
  }
}
