import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Logger } from '../../runtime/log.js';

export interface MetricsServerOptions {
  readonly registry: Registry;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log: Logger;
}

/** `GET /metrics` in the Prometheus text format, on a listener of its own that need not face the public. */
export class MetricsServer {
  readonly #options: MetricsServerOptions;
  readonly #server: http.Server;

  constructor(options: MetricsServerOptions) {
    this.#options = options;
    this.#server = http.createServer((request, response) => {
      this.#answer(request, response).catch((err) => {
        options.log.error({ err }, 'cannot collect metrics');
        response.writeHead(500).end();
      });
    });
  }

  /** Begins to listen; resolves with the bound address. @throws Error (EADDRINUSE, EACCES) */
  async start(): Promise<AddressInfo> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return this.#server.address() as AddressInfo;
  }

  /** May be called twice. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const isMetrics = request.url === '/metrics' && (request.method === 'GET' || request.method === 'HEAD');
    if (!isMetrics) {
      response.writeHead(404).end();
      return;
    }
    const { registry } = this.#options;
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(await registry.metrics());
  }
}
