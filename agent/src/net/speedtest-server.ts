import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { SpeedtestEndpoint } from '@vantage/shared/speedtest/endpoint.js';

/** Silence after which a client counts as gone, in milliseconds. */
const SILENCE_MS = 10_000;
/** A request with its body: ten seconds of upload and what was in buffers. */
const REQUEST_MS = 20_000;

/** A running speed test server. */
export interface SpeedtestServer {
  readonly address: AddressInfo;
  /** Cuts what runs. */
  stop(): Promise<void>;
}

/** Serves `/speedtest` and nothing else. @throws Error (EADDRINUSE, EACCES, EADDRNOTAVAIL) */
export async function startSpeedtestServer(host: string | null, port: number, clock: Clock): Promise<SpeedtestServer> {
  const endpoint = new SpeedtestEndpoint(clock);
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: SILENCE_MS }, (request, response) => {
    if (endpoint.handle(request, response, request.socket.remoteAddress ?? '')) return;
    response.writeHead(404, { connection: 'close', 'content-type': 'text/plain' }).end('404\n');
  });
  server.timeout = SILENCE_MS;
  server.listen(port, host ?? undefined);
  // rejects on 'error'
  await once(server, 'listening');
  return {
    address: server.address() as AddressInfo,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
