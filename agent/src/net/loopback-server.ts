import { once } from 'node:events';
import { createServer } from 'node:http';

/** The address of `openLoopbackServer`. */
export const LOOPBACK = '127.0.0.1';

/** A server of this process that answers every HTTP request with nothing, on a free port; null where none is to be had. */
export async function openLoopbackServer(): Promise<{ readonly port: number; close(): void } | null> {
  const server = createServer((_request, response) => response.end());
  server.listen(0, LOOPBACK);
  // once() rejects on 'error'
  await once(server, 'listening').catch(() => undefined);
  const address = server.address();
  if (typeof address !== 'object' || address === null) return null;
  return { port: address.port, close: () => server.close() };
}
