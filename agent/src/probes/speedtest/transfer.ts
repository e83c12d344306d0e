import { randomFillSync } from 'node:crypto';
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { SPEEDTEST_HEADER } from '@vantage/shared/speedtest/limits.js';
import { abortable, type Settle } from '../../net/abortable.js';
import { socketFailure } from '../../net/socket-failure.js';
import { limitWireBytes } from '../../net/wire-limit.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import { MAX_HEADER_BYTES } from '../http/limits.js';
import { ProgressLines } from './progress-lines.js';
import type { Timeline } from './timeline.js';

const CHUNK_BYTES = 64 * 1024;
/**
 * Bytes of framing that are permitted in addition to as many as the body has: chunks of a few bytes measure nothing.
 */
const MAX_FRAMING_BYTES = 1024 * 1024;
/** Time in which data that is still in buffers at the deadline may arrive, in milliseconds. */
const TAIL_MS = 2000;

export interface TransferOptions extends Pick<ProbeContext, 'clock' | 'signal' | 'userAgent'> {
  readonly url: URL;
  /** Timeout of the head of the response, in milliseconds. */
  readonly headMs: number;
  /** Ends of the transfer, whichever comes first. */
  readonly maxBytes: number;
  readonly maxMs: number;
  /** Filled in with what arrives at the other end. */
  readonly timeline: Timeline;
}

/**
 * Downloads until the body ends or a limit is reached; `true` when the server says that it is there for speed tests. The
 * socket is closed in the end.
 * @throws ProbeFailure http_protocol, http_timeout, tcp_reset, target_rate_limited; or the signal's reason
 */
export function download(socket: Socket, options: TransferOptions): Promise<boolean> {
  const { clock, maxBytes, maxMs, timeline } = options;
  return transfer(socket, { method: 'GET' }, options, (response, { resolve }) => {
    const isEndpoint = SPEEDTEST_HEADER in response.headers;
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes = Math.min(bytes + chunk.length, maxBytes);
      timeline.add(clock.monotonicMs(), bytes);
      if (bytes === maxBytes) resolve(isEndpoint);
    });
    response.once('end', () => resolve(isEndpoint));
    return clock.after(maxMs, () => resolve(isEndpoint));
  });
}

/**
 * Uploads random bytes until a limit is reached. The server reports what arrived forty times a second; the time of a report
 * is read from the clock here, and no count is believed that is more than was sent.
 * @throws as `download`
 */
export function upload(socket: Socket, options: TransferOptions): Promise<void> {
  const { clock, maxBytes, maxMs, timeline } = options;
  const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
  let sent = 0;
  let isOver = false;
  const pump = (request: ClientRequest) => {
    while (!isOver && sent < maxBytes) {
      const part = chunk.subarray(0, Math.min(CHUNK_BYTES, maxBytes - sent));
      sent += part.length;
      if (!request.write(part)) return;
    }
    if (!request.writableEnded) request.end();
  };
  const begin = (request: ClientRequest) => {
    // the server reports a short upload only once: without its beginning it would have no rate
    timeline.add(clock.monotonicMs(), 0);
    request.on('drain', () => pump(request));
    pump(request);
  };
  return transfer(socket, { method: 'POST', begin }, options, (response, { resolve, reject }, request) => {
    const lines = new ProgressLines(() => sent);
    response.on('data', (bytes: Buffer) => {
      const count = lines.push(bytes);
      if (count === null) reject(new ProbeFailure('http_protocol', 'the server counts more bytes than were sent'));
      else if (count > timeline.bytes) timeline.add(clock.monotonicMs(), count);
    });
    response.once('end', () => resolve());
    let cancel = clock.after(maxMs, () => {
      isOver = true;
      pump(request);
      cancel = clock.after(TAIL_MS, () => resolve());
    });
    return () => {
      isOver = true;
      cancel();
    };
  });
}

interface Sending {
  readonly method: 'GET' | 'POST';
  /** Sends the body; default: there is none. */
  readonly begin?: (request: ClientRequest) => void;
}

/** The part both ways share. `receive` gets a good answer and returns how to stop its timers. */
function transfer<T>(
  socket: Socket,
  { method, begin = (request) => request.end() }: Sending,
  options: TransferOptions,
  receive: (response: IncomingMessage, settle: Settle<T>, request: ClientRequest) => () => void,
): Promise<T> {
  const { clock, signal, headMs, maxBytes } = options;
  const tooMuch = () => new ProbeFailure('http_protocol', 'the server sends more framing than body data');
  return abortable(signal, (settle) => {
    const request = httpRequest({ ...requestOptions(options, method), createConnection: () => socket });
    let stopReceiving = () => {};
    const fail = (error: unknown) => settle.reject(transferFailure(socket.errored ?? error));
    const cancelHead = clock.after(headMs, () =>
      settle.reject(new ProbeFailure('http_timeout', `no response within ${headMs} ms`)),
    );
    const onTooMuch = () => settle.reject(tooMuch());
    const stopCounting = limitWireBytes({ socket, clock, maxBytes: 2 * maxBytes + MAX_FRAMING_BYTES, onTooMuch });
    request.once('error', fail);
    request.once('response', (response) => {
      cancelHead();
      response.once('error', fail);
      response.once('aborted', fail);
      const refusal = refusalIn(response);
      if (refusal === null) stopReceiving = receive(response, settle, request);
      else settle.reject(refusal);
    });
    begin(request);
    return () => {
      cancelHead();
      stopCounting();
      stopReceiving();
      request.destroy();
      socket.destroy();
    };
  });
}

function requestOptions({ url, userAgent }: TransferOptions, method: string): RequestOptions {
  return {
    method,
    path: url.pathname + url.search,
    setHost: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // control characters and lone line feeds, as curl and browsers take them; the connection has one response only
    insecureHTTPParser: true,
    headers: { host: url.host, 'user-agent': userAgent, accept: '*/*', 'accept-encoding': 'identity' },
  };
}

/** Redirects are not followed: what stands behind one is another server's speed. */
function refusalIn({ statusCode = 0, headers }: IncomingMessage): ProbeFailure | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  const isBusy = (statusCode === 429 || statusCode === 503) && SPEEDTEST_HEADER in headers;
  if (!isBusy) return new ProbeFailure('http_protocol', `the server responded with status ${statusCode}`);
  const seconds = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0] ?? 'some';
  return new ProbeFailure(
    'target_rate_limited',
    `the server is busy with other speed tests; try again in ${seconds} seconds`,
  );
}

function transferFailure(error: unknown): ProbeFailure {
  if (error instanceof ProbeFailure) return error;
  const ended = 'the connection was closed before the transfer was complete, or the response is not HTTP';
  return socketFailure(error, 'connection') ?? new ProbeFailure('http_protocol', ended, { cause: error });
}
