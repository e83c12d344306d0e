import { once } from 'node:events';
import type { AddressInfo, Socket, Server as SocketServer } from 'node:net';
import { HOST } from './names.js';

/** A server of the demo. */
export interface Server {
  readonly port: number;
  /** Closes it with all connections. */
  stop(): Promise<void>;
}

/** Starts a server on a free port of loopback. */
export async function listen(server: SocketServer): Promise<Server> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, HOST);
  // rejects on 'error'
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // a client may stay connected, and unread data hides that it left
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
