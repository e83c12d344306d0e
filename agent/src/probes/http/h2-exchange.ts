import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import { abortable, type Settle } from '../../net/abortable.js';
import { watchHttp2End } from '../../net/http2-end.js';
import { limitWireBytes } from '../../net/wire-limit.js';
import { ProbeFailure } from '../failure.js';
import { Answer, type ExchangeOptions } from './answer.js';
import { connectionClosed, http2Failure, isReset, resetFailure } from './h2-failure.js';
import { MAX_CONTROL_FRAMES, MAX_HEADER_BYTES, MAX_HEADER_LINES, MAX_READ_BYTES, MAX_WIRE_BYTES } from './limits.js';
import { type HttpRequest, wireHeaders } from './request.js';

/** Bytes that a header line has in addition to its name and value (RFC 9113 section 6.5.2). */
const LINE_OVERHEAD_BYTES = 32;

/** A window as large as what is read of a body: flow control of ours never holds the server back. */
const sessionOptions: ClientSessionOptions = {
  settings: {
    enablePush: false,
    initialWindowSize: MAX_READ_BYTES,
    // room for a line more than answer.ts takes: it states a reason, where Node resets the stream without one
    maxHeaderListSize: MAX_HEADER_BYTES + (MAX_HEADER_LINES + 1) * LINE_OVERHEAD_BYTES,
  },
  maxHeaderListPairs: MAX_HEADER_LINES + 2,
  maxSettings: MAX_CONTROL_FRAMES,
};

/** One request over HTTP/2 (RFC 9113), the first and only stream of its connection; see `exchange`. */
export function exchangeHttp2(socket: Socket, request: HttpRequest, options: ExchangeOptions): Promise<void> {
  const { signal, clock, hop, userAgent, wantsBody } = options;
  return abortable(signal, (settle) => {
    const bytesBefore = socket.bytesRead;
    const fail = (error: unknown) => settle.reject(http2Failure(socket.errored ?? error));
    const onClosed = (code: number) => {
      fail(resetFailure(code, answer.hasHead ? 0 : socket.bytesRead - bytesBefore));
    };
    const session = openSession(socket, request, fail);
    const stream = session.request(http2Headers(request, userAgent), { endStream: request.body === null });
    // the time for creating a session is our own and does not count as the server's
    const answer = new Answer({ clock, hop });
    const stopCounting = limitWireBytes({ socket, clock, maxBytes: MAX_WIRE_BYTES, onTooMuch: () => fail(tooMuch()) });
    const stopWatching = watchHttp2End({ session, socket, clock, onEnded: () => fail(broken()) });
    receive(stream, answer, { wantsBody, onClosed, resolve: settle.resolve, reject: fail });
    if (request.body !== null) stream.end(request.body);
    return () => {
      stopCounting();
      stopWatching();
      session.destroy();
      socket.destroy();
    };
  });
}

function openSession(socket: Socket, { url }: HttpRequest, fail: (error: unknown) => void): ClientHttp2Session {
  const session = connect(url, { ...sessionOptions, createConnection: () => socket });
  session.setLocalWindowSize(MAX_READ_BYTES);
  session.on('error', fail);
  let frames = 0;
  const count = () => {
    frames += 1;
    if (frames <= MAX_CONTROL_FRAMES) return;
    fail(new ProbeFailure('http_protocol', `more than ${MAX_CONTROL_FRAMES} frames that are not part of a response`));
  };
  for (const event of ['remoteSettings', 'ping', 'altsvc', 'origin']) session.on(event, count);
  session.on('goaway', (code: number, lastStreamId: number) => {
    if (code !== 0 || lastStreamId === 0) fail(connectionClosed(code));
  });
  session.on('close', () => fail(connectionClosed(0)));
  return session;
}

/** The request's headers with those of HTTP/2's own in front (RFC 9113 section 8.3.1); Host is its authority. */
function http2Headers(request: HttpRequest, userAgent: string): Record<string, string> {
  const { host: _host, ...headers } = wireHeaders(request, userAgent);
  const { url, method } = request;
  return {
    ':method': method,
    ':scheme': url.protocol.slice(0, -1),
    ':authority': url.host,
    ':path': url.pathname + url.search,
    ...headers,
  };
}

interface ReceiveOptions extends Settle<void>, Pick<ExchangeOptions, 'wantsBody'> {
  /** Called with the code of the stream when it was closed too soon. */
  readonly onClosed: (code: number) => void;
}

function receive(
  stream: ClientHttp2Stream,
  answer: Answer,
  { wantsBody, onClosed, resolve, reject }: ReceiveOptions,
): void {
  const read = (step: () => void) => {
    try {
      step();
    } catch (error) {
      reject(error);
    }
  };
  const onHead = (headers: IncomingHttpHeaders & { ':status'?: number }, _flags: number, raw: readonly string[]) => {
    answer.begin();
    read(() => {
      answer.takeHead(headers[':status'] ?? 0, '2', raw);
      if (!wantsBody()) resolve();
    });
  };
  const onInterim = (_headers: IncomingHttpHeaders, _flags: number, raw: readonly string[]) => {
    answer.begin();
    read(() => answer.takeInterim(raw));
  };
  const onTrailers = (_headers: IncomingHttpHeaders, _flags: number, raw: readonly string[]) =>
    read(() => answer.takeTrailers(raw));
  // the declared third argument of these events is missing from the types of Node 20
  stream.once('response', onHead as Parameters<ClientHttp2Stream['once']>[1]);
  stream.on('headers', onInterim as Parameters<ClientHttp2Stream['on']>[1]);
  stream.once('trailers', onTrailers as Parameters<ClientHttp2Stream['once']>[1]);
  stream.once('error', (error) => {
    if (isReset(error)) onClosed(stream.rstCode ?? 0);
    else reject(error);
  });
  stream.on('data', (chunk: Buffer) => {
    if (answer.takeChunk(chunk)) return;
    answer.complete();
    resolve();
  });
  // nghttp2 compares it with the body unless the stream is reset without an error
  const isShort = () => stream.rstCode === 0 && stream.sentHeaders?.[':method'] !== 'HEAD' && answer.isShort;
  // a reset stream ends too; its code is set by then
  stream.once('end', () => {
    if (!answer.hasHead || stream.rstCode || isShort()) return;
    answer.complete();
    resolve();
  });
  stream.once('close', () => onClosed(stream.rstCode ?? 0));
}

function tooMuch(): ProbeFailure {
  return new ProbeFailure('http_protocol', `more than ${MAX_WIRE_BYTES} bytes without the end of the response`);
}

function broken(): ProbeFailure {
  return new ProbeFailure('http_protocol', 'the response is not valid HTTP/2 (framing or header compression)');
}
