import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly remotePort: number;
}

/** An HTTP server of a test, closed with it; the handler gets requests whose body has arrived. */
export async function startHttpServer(
  t: Test,
  handle: (request: SeenRequest, response: ServerResponse) => void,
  host = '127.0.0.1',
): Promise<{ readonly port: number; readonly requests: readonly SeenRequest[] }> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const seen = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      remotePort: request.socket.remotePort ?? 0,
    };
    requests.push(seen);
    handle(seen, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, requests };
}
