import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { abortable, type Settle } from '../../net/abortable.js';
import { ProbeFailure } from '../failure.js';
import { Answer, connectionFailure, type ExchangeOptions } from './answer.js';
import { MAX_HEADER_BYTES, MAX_HEADER_LINES } from './limits.js';
import { type HttpRequest, wireHeaders } from './request.js';

/** One request over HTTP/1.1 (RFC 9112); see `exchange`. */
export function exchangeHttp1(socket: Socket, request: HttpRequest, options: ExchangeOptions): Promise<void> {
  const { signal, clock, hop, userAgent, wantsBody } = options;
  return abortable(signal, (settle) => {
    // what the system said of the socket explains more than what follows from it
    const fail = (error: unknown) => settle.reject(http1Failure(socket.errored ?? error));
    const answer = new Answer({ clock, hop, socket, fail });
    const clientRequest = openRequest(socket, request, userAgent);
    // listening any sooner would set the data flowing before the parser listens
    clientRequest.once('socket', () => socket.prependOnceListener('data', () => answer.begin()));
    clientRequest.once('error', fail);
    clientRequest.on('information', () => answer.countInterim());
    clientRequest.once('upgrade', (_response, upgraded: Socket) => {
      upgraded.destroy();
      fail(new ProbeFailure('http_protocol', 'the server switched protocols (101) without being asked'));
    });
    clientRequest.once('response', (response) => {
      receive(response, answer, { wantsBody, resolve: settle.resolve, reject: fail });
    });
    clientRequest.end(request.body ?? undefined);
    return () => {
      answer.release();
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

function receive(
  response: IncomingMessage,
  answer: Answer,
  { wantsBody, resolve, reject }: Settle<void> & Pick<ExchangeOptions, 'wantsBody'>,
): void {
  try {
    if (response.httpVersionMajor !== 1)
      throw new ProbeFailure('http_protocol', `the server answered in HTTP/${response.httpVersion}`);
    answer.takeHead(response.statusCode ?? 0, response.httpVersion, response.rawHeaders);
  } catch (error) {
    return reject(error);
  }
  if (!wantsBody()) return resolve();
  const finish = () => {
    answer.complete();
    resolve();
  };
  response.on('data', (chunk: Buffer) => {
    if (!answer.takeChunk(chunk)) finish();
  });
  response.once('end', finish);
  response.once('error', reject);
}

/** What went wrong between request and answer. Node's parser names its complaints HPE_*. */
function http1Failure(error: unknown): ProbeFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const because = { cause: error };
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ProbeFailure('http_headers_too_large', `more than ${MAX_HEADER_BYTES} bytes of headers`, because);
  if (code.startsWith('HPE_'))
    return new ProbeFailure('http_protocol', `the answer is not valid HTTP (${code})`, because);
  const ended = 'the connection was closed before the answer was complete';
  return connectionFailure(error) ?? new ProbeFailure('http_protocol', ended, because);
}
