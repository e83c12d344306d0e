import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Test } from 'tap';
import type { Outbound } from '../../src/deliver/index.js';

/** A server that listens, with its connections counted. */
export interface CountedListener {
  readonly port: number;
  /** Connections so far. */
  readonly connections: number;
  /** Connections that are open. */
  readonly open: number;
}

/** Lets a server listen until the test ends. Default port: a free one. */
export async function listen(t: Test, server: Server, host = '127.0.0.1', port = 0): Promise<CountedListener> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
  };
}

type Resolve = NonNullable<ConstructorParameters<typeof Outbound>[0]['resolve']>;

/** A resolver with a list of replies, one for each query in turn; the last one for all that follow. */
export function answering(...answers: readonly (readonly string[])[]): Resolve & { asked: number } {
  const resolve = async () => {
    const addresses = answers[Math.min(resolve.asked, answers.length - 1)] ?? [];
    resolve.asked += 1;
    return addresses.map((address) => ({ address, family: 4 as const }));
  };
  resolve.asked = 0;
  return resolve;
}
