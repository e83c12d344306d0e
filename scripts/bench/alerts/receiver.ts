import { createServer } from 'node:http';
import { listen } from '../../demo/listen.js';
import type { Stops } from '../harness.js';

/** Request that a receiver got. */
export interface Arrival {
  /** Arrival of its first bytes, milliseconds since the epoch. */
  readonly atMs: number;
  readonly path: string;
  readonly body: string;
}

/** HTTP server that keeps what it is sent, and responds at once. */
export interface Receiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
}

/** Starts a receiver on a free port. */
export async function startReceiver(stops: Stops): Promise<Receiver> {
  const arrivals: Arrival[] = [];
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
  const { port, stop } = await listen(server);
  stops.push(stop);
  return { url: `http://127.0.0.1:${port}`, arrivals };
}
