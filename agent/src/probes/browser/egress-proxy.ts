import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { formatHost, type Host, parseHostPort } from '@vantage/shared/target-policy/host.js';
import { checkHttpPort } from '@vantage/shared/target-policy/ports.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { connectTcp } from '../../net/connect.js';
import { LOOPBACK } from '../../net/loopback-server.js';
import type { Resolution } from '../../net/resolver.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure, refusing } from '../failure.js';
import { MAX_HEADER_BYTES } from '../http/limits.js';

//   Chromium --HTTP proxy, 127.0.0.1, a password of this run--> here --resolve once, judge, connect--> the world
//   This is its only way out: it resolves no names and connects to nothing else.

/** Names a page may bring in, connections it may have open, and bytes both ways, for one run. */
const MAX_HOSTS = 200;
const MAX_CONNECTIONS = 128;
const MAX_BYTES = 64 * 1024 * 1024;
const COUNT_INTERVAL_MS = 250;
const MAX_FAILURES = 500;
/** Headers between two neighbours (RFC 9110 section 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  'proxy-authorization',
  'proxy-connection',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
]);

/**
 * Headers that a page gets, names and values in turn: each line for itself, so that the browser judges repeated ones. Control
 * characters become blanks (RFC 9110 section 5.5), since Node sends none.
 */
function keptHeaders(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' '));
  }
  return kept;
}

type ProxyContext = Pick<ProbeContext, 'policy' | 'resolver' | 'clock' | 'signal'>;

/**
 * The way out of one page: an HTTP proxy on loopback that judges every host by the target policy, resolves each name
 * once, and connects to exactly the addresses that were judged, whatever asks for them: documents, redirects, scripts,
 * WebSockets.
 */
export class EgressProxy {
  readonly username = 'page';
  readonly password = randomBytes(18).toString('base64url');
  readonly #context: ProxyContext;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #resolutions = new Map<string, Promise<Resolution>>();
  /** Reasons why hosts could not be reached, by `host:port`. */
  readonly #failures = new Map<string, ProbeFailure>();
  readonly #authorization: string;
  #bytes = 0;

  constructor(context: ProxyContext) {
    this.#context = context;
    this.#authorization = `Basic ${Buffer.from(`${this.username}:${this.password}`).toString('base64')}`;
    this.#server = createServer({ maxHeaderSize: 64 * 1024 });
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
    this.#server.on('request', (asked, answer) => void this.#forward(asked, answer));
    this.#server.on('connect', (asked, socket, head) => void this.#tunnel(asked, socket, head));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** Starts the proxy and returns its URL, without the password. */
  async open(): Promise<string> {
    this.#server.listen(0, LOOPBACK);
    await once(this.#server, 'listening');
    return `http://${LOOPBACK}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that the policy refused. */
  get refused(): number {
    return [...this.#failures.values()].filter(({ code }) => code === 'target_not_allowed').length;
  }

  /** Reason why the host of a URL could not be reached; null where it could, or was not requested. */
  failureOf(url: string): ProbeFailure | null {
    if (!URL.canParse(url)) return null;
    const { hostname, port, protocol } = new URL(url);
    return (
      this.#failures.get(`${hostname}:${port || (protocol === 'https:' || protocol === 'wss:' ? 443 : 80)}`) ?? null
    );
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (!this.#isOurs(asked)) return this.#demandPassword(answer);
    try {
      const { url, host, port } = refusing(() => parseHttpUrl(asked.url ?? ''));
      // for any other scheme it would have requested a tunnel
      if (url.protocol !== 'http:') throw new ProbeFailure('http_protocol', 'no plain http');
      const socket = await this.#connect(host, port);
      const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !hopByHop.has(name)));
      const { method = 'GET' } = asked;
      const path = `${url.pathname}${url.search}`;
      // as lenient as the browser, which would read the response itself without a proxy
      const lenient = { insecureHTTPParser: true, maxHeaderSize: MAX_HEADER_BYTES };
      const onward = request({ createConnection: () => socket, method, path, headers, ...lenient });
      onward.on('response', (response) => {
        const { statusCode = 0 } = response;
        // 1xx responses do not arrive here; any other invalid status would end this process with an error
        if (statusCode < 200 || statusCode > 599) return void answer.destroy();
        answer.writeHead(statusCode, keptHeaders(response.rawHeaders));
        response.pipe(answer);
        response.on('error', () => answer.destroy());
      });
      onward.on('error', () => answer.destroy());
      answer.on('close', () => socket.destroy());
      asked.pipe(onward);
    } catch {
      // a response from the proxy would be taken for one of the page
      answer.destroy();
    }
  }

  async #tunnel(asked: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    if (!this.#isOurs(asked)) {
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="page"\r\nContent-Length: 0\r\n\r\n',
      );
      return;
    }
    try {
      const { host, port } = refusing(() => parseHostPort(asked.url ?? ''));
      const onward = await this.#connect(host, port ?? 443);
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket);
      socket.pipe(onward);
      onward.on('close', () => {
        // a socket whose end was read may still be sending its last bytes
        if (!onward.readableEnded) socket.destroy();
      });
      socket.on('close', () => onward.destroy());
    } catch {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    }
  }

  /** @throws ProbeFailure, which is remembered */
  async #connect(host: Host, port: number): Promise<Socket> {
    const key = `${formatHost(host)}:${port}`;
    const { policy, clock, signal } = this.#context;
    try {
      refusing(() => {
        checkHttpPort(port, 'target');
        policy.checkHost(host);
      });
      if (this.#sockets.size > 2 * MAX_CONNECTIONS || this.#bytes > MAX_BYTES)
        throw new ProbeFailure('overload', 'the page transfers too much data');
      const { addresses } = await this.#resolve(host);
      const { socket } = await connectTcp({ addresses, port, signal, clock });
      this.#keep(socket);
      this.#count(socket);
      return socket;
    } catch (error) {
      if (error instanceof ProbeFailure && this.#failures.size < MAX_FAILURES) this.#failures.set(key, error);
      throw error;
    }
  }

  /** Each name once, however often the page comes back to it. */
  #resolve(host: Host): Promise<Resolution> {
    const name = formatHost(host);
    const known = this.#resolutions.get(name);
    if (known !== undefined) return known;
    if (this.#resolutions.size >= MAX_HOSTS) throw new ProbeFailure('overload', `more than ${MAX_HOSTS} hosts`);
    const { resolver, policy, signal } = this.#context;
    const resolution = resolver.resolve({ host, ipVersion: 'auto', policy, signal });
    this.#resolutions.set(name, resolution);
    return resolution;
  }

  /** Closed in the end. */
  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  /** A page that has exceeded its limit gets no more data. */
  #count(socket: Socket): void {
    let counted = 0;
    const count = () => {
      this.#bytes += socket.bytesRead + socket.bytesWritten - counted;
      counted = socket.bytesRead + socket.bytesWritten;
      if (this.#bytes <= MAX_BYTES) return;
      for (const one of this.#sockets) one.destroy();
    };
    const { clock } = this.#context;
    let cancel = () => {};
    const look = () => {
      count();
      cancel = clock.after(COUNT_INTERVAL_MS, look, { unref: true });
    };
    look();
    socket.once('close', () => {
      cancel();
      count();
    });
  }

  #isOurs({ headers }: IncomingMessage): boolean {
    return headers['proxy-authorization'] === this.#authorization;
  }

  #demandPassword(answer: ServerResponse): void {
    answer.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="page"', 'Content-Length': 0 });
    answer.end();
  }
}
