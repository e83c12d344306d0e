import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A TCP server of a test, closed with it. */
export interface TestServer {
  readonly port: number;
  /** Connections accepted so far. */
  readonly accepted: number;
  /** Connections still open on this side: 0 once every client has gone. */
  readonly open: number;
  /** All bytes that clients have sent, in order of arrival. */
  readonly received: Buffer;
  /** Refuses connections from now on; those that are open stay. */
  stop(): void;
}

/** Serves every connection with `serve`, whose sockets may fail without notice: hostile servers are cut off. */
export async function startTcpServer(
  t: Test,
  serve: (socket: Socket) => void,
  host = '127.0.0.1',
  port = 0,
): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const chunks: Buffer[] = [];
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => chunks.push(chunk));
    serve(socket);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port: listeningPort } = server.address() as AddressInfo;
  return {
    port: listeningPort,
    stop: () => void server.close(),
    get accepted() {
      return accepted;
    },
    get open() {
      return sockets.size;
    },
    get received() {
      return Buffer.concat(chunks);
    },
  };
}

/** A port of `host` without a listener. */
export async function unusedPort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
