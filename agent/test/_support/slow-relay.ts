import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** Limits of a relay in both directions. */
export interface Weather {
  readonly bytesPerMs: number;
  readonly delayMs: number;
}

/** A TCP relay on loopback with the rate and delay of a bad line. @returns its port */
export async function startSlowRelay(t: Test, port: number, weather: Weather): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      void relay(from, to, weather);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Reads no more than the line takes; what was read arrives `delayMs` later. */
async function relay(from: Socket, to: Socket, { bytesPerMs, delayMs }: Weather): Promise<void> {
  const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += 4096) {
        const piece = chunk.subarray(at, at + 4096);
        await pass(piece.length / bytesPerMs);
        setTimeout(() => to.destroyed || to.write(piece), delayMs);
      }
    }
    to.end();
  } catch {
    to.destroy();
  }
}
