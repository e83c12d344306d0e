import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { ApiError } from '../errors.js';
import { errorBody, errorHeaders } from '../frame/reply.js';

export interface RefusalContext {
  /** Address of the documentation, without a final slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
}

/**
 * Time for which a caller that continues to send is read after its response, in milliseconds: closing at once could
 * discard the response.
 */
const LINGER_MS = 1_000;

/**
 * Responds on a bare socket and closes it: for requests that node:http could not parse, and for refused upgrades. The
 * language is English, since there may be no header to read.
 */
export function refuseSocket(socket: Duplex, error: ApiError, { publicUrl, clock }: RefusalContext): void {
  const requestId = newId(idPrefixes.request);
  const body = errorBody(error, { requestId, locale: 'en' }, publicUrl);
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
