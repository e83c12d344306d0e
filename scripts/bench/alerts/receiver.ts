import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Request that a receiver got. */
export interface Arrival {
  /** When its first bytes were there, milliseconds since the epoch. */
  readonly atMs: number;
  readonly path: string;
  readonly body: string;
}

/** HTTP server that keeps what it is sent, and answers at once. */
export interface Receiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  stop(): Promise<void>;
}

/** Starts a receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const atMs = performance.timeOrigin + performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      arrivals.push({ atMs, path: request.url ?? '', body: Buffer.concat(chunks).toString() });
      response.end('ok');
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
