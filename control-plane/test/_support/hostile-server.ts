import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** Behaviour of a server once the request has arrived. */
export type Behaviour = (socket: Socket) => void;

/** A server that misbehaves, and who is connected to it. */
export interface HostileServer {
  /** `http://127.0.0.1:port/` */
  readonly url: string;
  readonly connections: number;
  /** Connections that are open now. */
  readonly open: number;
}

/** Starts a server on a free port that behaves so to every request; closed when the test ends. */
export async function startHostileServer(t: Test, behave: Behaviour): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => behave(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
  };
}

/** Sends `begin`, and then `each` as fast as the receiver takes it, without end. */
export function floods(begin: string, each: string): Behaviour {
  const many = each.repeat(Math.ceil(16_384 / each.length));
  return (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(many));
    };
    socket.on('drain', more);
    socket.write(begin);
    more();
  };
}

/** Sends `begin`, and then `each` now and then, without end. */
export function drips(begin: string, each: string): Behaviour {
  return (socket) => {
    socket.write(begin);
    const timer = setInterval(() => socket.write(each), 5);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Ends the connection with a reset. */
export const resets: Behaviour = (socket) => void socket.resetAndDestroy();

/** Beginning of a response whose body has no stated length. */
export const chunkedHead = (status: number) => `HTTP/1.1 ${status} x\r\ntransfer-encoding: chunked\r\n\r\n`;

/** An interim response. */
export const interim = 'HTTP/1.1 102 Processing\r\n\r\n';
