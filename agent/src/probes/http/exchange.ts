import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@vantage/shared/clock.js';
import { abortable, type Settle } from '../../net/abortable.js';
import { socketFailure } from '../../net/socket-failure.js';
import { tlsFailure } from '../../net/tls/handshake.js';
import { ProbeFailure } from '../failure.js';
import type { Hop } from './hop.js';
import { MAX_HEADER_BYTES, MAX_HEADER_LINES, MAX_INTERIM_RESPONSES, MAX_READ_BYTES } from './limits.js';
import { watchRate } from './rate.js';
import { type HttpRequest, wireHeaders } from './request.js';

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Filled in with what arrives. */
  readonly hop: Hop;
  /** How the request names the service. */
  readonly userAgent: string;
  /** Asked once the headers are in `hop`; false ends the exchange there. */
  readonly wantsBody: () => boolean;
}

/**
 * Sends one request on a connected socket and reads the answer, within the limits; the socket is closed in the end.
 * @throws ProbeFailure http_protocol, http_headers_too_large, http_timeout, tcp_reset, tls_handshake; or the signal's
 *   reason
 */
export function exchange(socket: Socket, request: HttpRequest, options: ExchangeOptions): Promise<void> {
  const { signal, clock, hop, userAgent } = options;
  return abortable(signal, (settle) => {
    const sentAt = clock.monotonicMs();
    const clientRequest = openRequest(socket, request, userAgent);
    let stopWatchingRate = () => {};
    let receivedBytes = 0;

    const onFirstByte = () => {
      hop.firstByteAt = clock.monotonicMs();
      hop.ttfbMs = hop.firstByteAt - sentAt;
      const onTooSlow = () =>
        settle.reject(new ProbeFailure('http_timeout', 'the answer came too slowly, below 1 KB/s'));
      stopWatchingRate = watchRate({ clock, receivedBytes: () => receivedBytes, onTooSlow });
    };
    const onData = (chunk: Buffer) => {
      if (hop.firstByteAt === null) onFirstByte();
      receivedBytes += chunk.length;
    };
    // listening any sooner would set the data flowing before the parser listens
    clientRequest.once('socket', () => socket.prependListener('data', onData));
    // what the system said of the socket explains more than what follows from it
    const fail = (error: unknown) => settle.reject(exchangeFailure(socket.errored ?? error));
    clientRequest.once('error', fail);
    limitInterimResponses(clientRequest, fail);
    clientRequest.once('response', (response) => receive(response, options, { resolve: settle.resolve, reject: fail }));
    clientRequest.end(request.body ?? undefined);
    return () => {
      stopWatchingRate();
      clientRequest.destroy();
      socket.destroy();
    };
  });
}

/** Without an agent: no keep-alive, no proxies of the environment, and `Connection: close` on the wire. */
function openRequest(socket: Socket, request: HttpRequest, userAgent: string): ClientRequest {
  const clientRequest = httpRequest({
    createConnection: () => socket,
    method: request.method,
    path: request.url.pathname + request.url.search,
    headers: wireHeaders(request, userAgent),
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  });
  // beyond its count the parser drops lines silently; one more than allowed shows that there were too many
  clientRequest.maxHeadersCount = MAX_HEADER_LINES + 1;
  return clientRequest;
}

function limitInterimResponses(clientRequest: ClientRequest, fail: (error: unknown) => void): void {
  let count = 0;
  clientRequest.on('information', () => {
    count += 1;
    if (count <= MAX_INTERIM_RESPONSES) return;
    fail(new ProbeFailure('http_protocol', `more than ${MAX_INTERIM_RESPONSES} interim (1xx) responses`));
  });
  clientRequest.once('upgrade', (_response, upgraded: Socket) => {
    upgraded.destroy();
    fail(new ProbeFailure('http_protocol', 'the server switched protocols (101) without being asked'));
  });
}

function receive(
  response: IncomingMessage,
  { hop, clock, wantsBody }: ExchangeOptions,
  { resolve, reject }: Settle<void>,
): void {
  const failure = headFailure(response);
  if (failure !== null) return reject(failure);
  hop.statusCode = response.statusCode ?? null;
  hop.httpVersion = response.httpVersion;
  hop.headers = joinHeaders(response.rawHeaders);
  if (!wantsBody()) return resolve();

  const finish = () => {
    if (hop.firstByteAt !== null) hop.downloadMs = clock.monotonicMs() - hop.firstByteAt;
    resolve();
  };
  response.on('data', (chunk: Buffer) => {
    keepChunk(hop, chunk);
    if (hop.isCut) finish();
  });
  response.once('end', finish);
  response.once('error', reject);
}

function keepChunk(hop: Hop, chunk: Buffer): void {
  const kept = chunk.subarray(0, MAX_READ_BYTES - hop.bodyBytes);
  hop.isCut = kept.length < chunk.length;
  hop.bodyBytes += kept.length;
  hop.chunks.push(kept);
}

function headFailure(response: IncomingMessage): ProbeFailure | null {
  if (response.httpVersionMajor !== 1)
    return new ProbeFailure('http_protocol', `the server answered in HTTP/${response.httpVersion}`);
  if (response.rawHeaders.length / 2 <= MAX_HEADER_LINES) return null;
  return new ProbeFailure('http_headers_too_large', `more than ${MAX_HEADER_LINES} header lines`);
}

/** Names in lower case; the values of a name that comes more than once joined by comma and space. */
function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    const value = rawHeaders[i + 1] ?? '';
    const known = values.get(name);
    values.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return Object.fromEntries(values);
}

/** What went wrong between request and answer. Node's parser names its complaints HPE_*, OpenSSL ERR_SSL_*. */
function exchangeFailure(error: unknown): ProbeFailure {
  if (error instanceof ProbeFailure) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const because = { cause: error };
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ProbeFailure('http_headers_too_large', `more than ${MAX_HEADER_BYTES} bytes of headers`, because);
  }
  if (code.startsWith('HPE_'))
    return new ProbeFailure('http_protocol', `the answer is not valid HTTP (${code})`, because);
  if (code.startsWith('ERR_SSL_')) return tlsFailure(error);
  const ended = 'the connection was closed before the answer was complete';
  return socketFailure(error, 'connection') ?? new ProbeFailure('http_protocol', ended, because);
}
