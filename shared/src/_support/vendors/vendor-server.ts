import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Request as a vendor's stand-in receives it. */
export interface VendorRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Response of a stand-in. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body: string | object;
}

/** Message that a stand-in accepted. */
export interface Taken {
  readonly atMs: number;
  /** Text as people read it, without markup. */
  readonly text: string;
  /** People whom the vendor notifies by name, and groups: empty unless the sender asked for it. */
  readonly mentions: readonly string[];
  /** Body of the request. */
  readonly body: unknown;
}

/** Options that all stand-ins have. */
export interface VendorOptions {
  /** Wall clock, milliseconds since the epoch. Default: that of this machine. */
  readonly now?: () => number;
  readonly port?: number;
}

/** Stand-in of a vendor: a real HTTP server that answers as the vendor documents, and keeps what it accepted. */
export interface Vendor {
  readonly origin: string;
  readonly taken: readonly Taken[];
  /** Every request, accepted or not. */
  readonly requests: readonly VendorRequest[];
  /** Answers the next requests with these, whatever they ask, in this order. */
  answerNext(...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

const MAX_REQUEST_BYTES = 1_048_576;

/** Starts a stand-in. `answer` judges a request, and hands what it accepts to `take`. */
export async function startVendor(
  { now = () => Date.now(), port = 0 }: VendorOptions,
  answer: (request: VendorRequest, take: (taken: Omit<Taken, 'atMs'>) => void) => Answer,
): Promise<Vendor> {
  const taken: Taken[] = [];
  const requests: VendorRequest[] = [];
  const scripted: Answer[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
    });
    incoming.on('error', () => {});
    incoming.on('end', () => {
      const request: VendorRequest = {
        method: incoming.method ?? '',
        url: new URL(incoming.url ?? '/', 'http://vendor.example'),
        headers: incoming.headers,
        body: Buffer.concat(chunks),
      };
      requests.push(request);
      const given = scripted.shift() ?? answer(request, (message) => taken.push({ ...message, atMs: now() }));
      const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
      const type = typeof given.body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
      response.writeHead(given.status, { 'content-type': type, ...given.headers }).end(text);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    requests,
    answerNext: (...answers) => scripted.push(...answers),
    close: () => closed(server),
  };
}

/** The body as a JSON object; null if it is none. */
export function jsonBody({ body }: VendorRequest): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** True if the sender says that the body is JSON. */
export function saysJson({ headers }: VendorRequest): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '');
}

/** A member of an object that is an object; empty if it is none. */
export function member(value: unknown, key: string): Record<string, unknown> {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
