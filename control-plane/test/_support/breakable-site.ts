import http, { type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Test } from 'tap';
import { answerEchoes } from './own-network.js';
import type { SiteCertificate } from './site-certificates.js';
import { startNameServer } from './targets.js';

const HOST = '127.0.0.1';

/** Response of a page. */
export interface Page {
  readonly status: number;
  readonly body: string;
  /** Delay of the response in milliseconds. */
  readonly afterMs: number;
}

const FINE: Page = { status: 200, body: 'open, all in stock', afterMs: 0 };

/**
 * Parts of a site: pages, a page over TLS, a port, a name, and a machine that replies to echo requests. Each can be
 * broken.
 */
export class BreakableSite {
  readonly #pages = new Map<string, Page>();
  #address = '192.0.2.10';
  #gate: Server | null = null;

  private constructor(
    private readonly web: Server,
    private readonly secure: https.Server,
    private readonly gatePort: number,
  ) {}

  /** Starts all parts in a network of the test's own, with the name server on port 53; closed with the test. */
  static async start(t: Test, { certificate, gatePort }: { certificate: SiteCertificate; gatePort: number }) {
    const web = http.createServer();
    const secure = https.createServer(certificate, (_request, response) => {
      // a new connection sees the current certificate
      response.setHeader('connection', 'close').end('ok');
    });
    const site = new BreakableSite(web, secure, gatePort);
    web.on('request', ({ url = '/' }, response: ServerResponse) => site.#answer(url, response));
    await Promise.all([listen(t, web), listen(t, secure)]);
    t.teardown(() => {
      web.closeAllConnections();
      secure.closeAllConnections();
    });
    await site.openGate();
    t.teardown(() => site.closeGate());
    await startNameServer(t, HOST, { port: 53, addressOf: () => site.#address });
    return site;
  }

  /** URL of a page. */
  page(path: string): string {
    return `http://${HOST}:${portOf(this.web)}${path}`;
  }

  get secureUrl(): string {
    return `https://${HOST}:${portOf(this.secure)}/`;
  }

  get gate(): string {
    return `${HOST}:${this.gatePort}`;
  }

  /** Sets the response of a page from now on; without a response, the page works again. */
  set(path: string, changes: Partial<Page> = {}): void {
    this.#pages.set(path, { ...FINE, ...changes });
  }

  show(certificate: SiteCertificate): void {
    this.secure.setSecureContext(certificate);
  }

  /** Sets the address of the name from now on. */
  name(address: string): void {
    this.#address = address;
  }

  echo(doAnswer: boolean): void {
    answerEchoes(doAnswer);
  }

  async openGate(): Promise<void> {
    const gate = createServer((socket) => {
      socket.on('error', () => {});
      socket.resume().end('220 ready\r\n');
    });
    await new Promise<void>((resolve) => gate.listen(this.gatePort, HOST, resolve));
    this.#gate = gate;
  }

  async closeGate(): Promise<void> {
    const gate = this.#gate;
    this.#gate = null;
    if (gate !== null) await new Promise((resolve) => gate.close(resolve));
  }

  #answer(path: string, response: ServerResponse): void {
    const { status, body, afterMs } = this.#pages.get(path) ?? FINE;
    const timer = setTimeout(() => response.writeHead(status).end(body), afterMs);
    response.once('close', () => clearTimeout(timer));
  }
}

async function listen(t: Test, server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
