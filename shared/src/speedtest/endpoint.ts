import { randomFillSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import { Doorkeeper } from './doorkeeper.js';
import {
  MAX_SPEEDTEST_BYTES,
  MAX_SPEEDTEST_MS,
  PROGRESS_INTERVAL_MS,
  SPEEDTEST_HEADER,
  SPEEDTEST_PATH,
} from './limits.js';

/** Larger than the window of deflate, so that no proxy on the way can make it smaller. */
const BLOCK_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** The client's ten seconds and what may be left in buffers after them. */
const PATIENCE_MS = MAX_SPEEDTEST_MS + 5_000;

const HEADERS = {
  [SPEEDTEST_HEADER]: '1',
  'cache-control': 'no-store, no-transform',
  'x-content-type-options': 'nosniff',
} as const;

/**
 * The other end of speed tests, for any HTTP server:
 *
 *   GET  /speedtest?bytes=N   N bytes that do not compress, at most 25 MB (the default)
 *   POST /speedtest           swallows the body, at most 25 MB; answers in lines: every 25 ms the bytes so far, the last
 *                             line being the count of all
 *
 * 429 and 503 with Retry-After are its limits: see Doorkeeper.
 */
export class SpeedtestEndpoint {
  readonly #clock: Clock;
  readonly #doorkeeper: Doorkeeper;
  #block: Buffer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#doorkeeper = new Doorkeeper(clock);
  }

  /** Answers a request for the path of speed tests; false for any other, which it leaves alone. */
  handle(request: IncomingMessage, response: ServerResponse, address: string): boolean {
    const [path, query = ''] = (request.url ?? '').split('?', 2);
    if (path !== SPEEDTEST_PATH) return false;
    const bytes = request.method === 'GET' ? wantedBytes(query) : 0;
    if (request.method !== 'GET' && request.method !== 'POST') refuse(response, 405, { allow: 'GET, POST' });
    else if (bytes === null) refuse(response, 400);
    else if (Number(request.headers['content-length'] ?? 0) > MAX_SPEEDTEST_BYTES) refuse(response, 413);
    else this.#admit(request, response, { address, bytes });
    return true;
  }

  #admit(
    request: IncomingMessage,
    response: ServerResponse,
    { address, bytes }: { readonly address: string; readonly bytes: number },
  ): void {
    const admission = this.#doorkeeper.enter(address);
    if (!admission.isAdmitted) {
      return refuse(response, admission.status, { 'retry-after': String(admission.retryAfterSeconds) });
    }
    const cancel = this.#clock.after(PATIENCE_MS, () => response.destroy());
    response.once('close', () => {
      cancel();
      admission.leave();
    });
    if (request.method === 'GET') this.#send(response, bytes);
    else this.#swallow(request, response);
  }

  #send(response: ServerResponse, bytes: number): void {
    this.#block ??= randomFillSync(Buffer.alloc(BLOCK_BYTES));
    const block = this.#block;
    let sent = 0;
    response.writeHead(200, { ...HEADERS, 'content-type': 'application/octet-stream', 'content-length': bytes });
    const pump = () => {
      while (sent < bytes) {
        const start = sent % BLOCK_BYTES;
        const chunk = block.subarray(start, start + Math.min(CHUNK_BYTES, bytes - sent));
        sent += chunk.length;
        if (!response.write(chunk)) return;
      }
      response.end();
    };
    response.on('drain', pump);
    pump();
  }

  #swallow(request: IncomingMessage, response: ServerResponse): void {
    let received = 0;
    let cancel = () => {};
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' });
    response.flushHeaders();
    const report = () => {
      response.write(`${received}\n`);
      cancel = this.#clock.after(PROGRESS_INTERVAL_MS, report);
    };
    cancel = this.#clock.after(PROGRESS_INTERVAL_MS, report);
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      // the head was already sent: an error can only be signalled by cutting the response short
      if (received > MAX_SPEEDTEST_BYTES) response.destroy();
    });
    request.once('end', () => response.end(`${received}\n`));
    response.once('close', () => cancel());
  }
}

/** `bytes` of the query; null for what is no number of bytes that may be had. */
function wantedBytes(query: string): number | null {
  const text = new URLSearchParams(query).get('bytes');
  if (text === null) return MAX_SPEEDTEST_BYTES;
  const bytes = /^\d{1,9}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return bytes <= MAX_SPEEDTEST_BYTES ? bytes : null;
}

/** The connection ends with it: a body on its way is not read. */
function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...HEADERS, connection: 'close', 'content-type': 'text/plain', ...headers });
  response.end(`${status}\n`);
}
