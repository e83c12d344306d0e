import type { Socket } from 'node:net';

/** Ends a TCP connection by RST; a Unix socket has none, and is just closed. */
export function resetSocket(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}
