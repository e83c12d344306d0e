import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { errorTable } from './error-table.js';
import type { ApiError } from './errors.js';
import { errorBody, errorHeaders } from './reply.js';

export interface RefusalContext {
  /** Where the documentation is served, without a final slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
}

/** A caller that goes on sending after its answer is listened to this long: closing at once could eat the answer. */
const LINGER_MS = 1_000;

/**
 * Answers on a bare socket and closes it: for requests node:http could not parse and upgrades that are refused. The
 * language is English, for there may be no header to read.
 */
export function refuseSocket(socket: Duplex, error: ApiError, { publicUrl, clock }: RefusalContext): void {
  const requestId = newId(idPrefixes.request);
  const body = errorBody(error, requestId, errorTable[error.code].messages.en, publicUrl);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...errorHeaders(error),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
  socket.resume();
  const cancel = clock.after(LINGER_MS, () => socket.destroy(), { unref: true });
  socket.once('close', cancel);
}
