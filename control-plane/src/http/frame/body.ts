import type { IncomingMessage } from 'node:http';
import type { Clock } from '@vantage/shared/clock.js';
import { ApiError } from '../errors.js';
import type { FileBody, RawBody } from '../route.js';
import { bodyError } from './json.js';

/** Greatest size of a body (API specification 8): 32 KB for all requests. */
export const BODY_LIMIT_BYTES = 32 * 1024;

/** Time after which a body that has not arrived is given up, in milliseconds. */
export const BODY_TIMEOUT_MS = 10_000;

/**
 * Time after which a file that has not arrived is given up, in milliseconds; the server's own limit of a request is a
 * little longer.
 */
const FILE_TIMEOUT_MS = 25_000;

/** Checks that a request does not announce more than the limit, before a byte of it is read. @throws ApiError 413 */
export function refuseLargeBody(request: IncomingMessage, limitBytes = BODY_LIMIT_BYTES): void {
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) > limitBytes) throw tooLarge(limitBytes);
}

/**
 * Reads a whole body. After a refusal, node:http drains the rest, so that the caller can read the response; the
 * server's request timeout bounds that.
 * @throws ApiError 413, 408; ConnectionLostError if the caller disconnected
 */
export async function readBody(request: IncomingMessage, clock: Clock): Promise<Buffer> {
  return wholeOf(await collect(request, clock, ofBodies), ofBodies);
}

/**
 * Reads a body of which the beginning is sufficient: it ends where it is too large or stops coming. The rest is drained as after
 * `readBody`.
 * @throws ConnectionLostError
 */
export async function readBodyStart(request: IncomingMessage, clock: Clock, keepBytes: number): Promise<RawBody> {
  const { bytes, end } = await collect(request, clock, ofBodies);
  return { bytes: bytes.subarray(0, keepBytes), isCut: end !== 'complete' || bytes.length > keepBytes };
}

/** Reads a file like `readBody`. @throws ApiError as readBody, 400 for another media type */
export async function readFile(request: IncomingMessage, clock: Clock, file: FileBody): Promise<Buffer> {
  const limits = { limitBytes: file.maxBytes, timeoutMs: FILE_TIMEOUT_MS };
  const bytes = wholeOf(await collect(request, clock, limits), limits);
  if (bytes.length === 0) throw bodyError('is required', 'required');
  refuseCompressed(request);
  const [mediaType = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (!file.mediaTypes.includes(mediaType.trim()))
    throw bodyError(`must be sent as one of ${file.mediaTypes.join(', ')}`);
  return bytes;
}

interface Limits {
  readonly limitBytes: number;
  readonly timeoutMs: number;
}

const ofBodies: Limits = { limitBytes: BODY_LIMIT_BYTES, timeoutMs: BODY_TIMEOUT_MS };

/** Part of a body that was read, and why reading ended. */
interface Collected {
  readonly bytes: Buffer;
  readonly end: 'complete' | 'too-large' | 'timeout';
}

/** @throws ApiError 413, 408 */
function wholeOf({ bytes, end }: Collected, { limitBytes }: Limits): Buffer {
  if (end === 'too-large') throw tooLarge(limitBytes);
  if (end === 'timeout') throw timedOut();
  return bytes;
}

/** Reads until the end, until the limit is exceeded, or until the time is over. @throws ConnectionLostError */
function collect(request: IncomingMessage, clock: Clock, { limitBytes, timeoutMs }: Limits): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const cancelTimer = clock.after(timeoutMs, () => settle('timeout'), { unref: true });
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limitBytes) settle('too-large');
    };
    const onEnd = () => settle('complete');
    const onLost = () => {
      stop();
      reject(new ConnectionLostError());
    };
    const stop = () => {
      cancelTimer();
      request.off('data', onData).off('end', onEnd).off('close', onLost);
    };
    const settle = (end: Collected['end']) => {
      stop();
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
      resolve({ bytes, end });
    };
    request.on('data', onData).on('end', onEnd).on('close', onLost);
  });
}

/** The caller closed the connection before the body was complete: no response can be sent. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';
}

/** Checks that the headers announce JSON and the body is not empty. @throws ApiError REQUEST_BODY_INVALID */
export function checkJsonHeaders(request: IncomingMessage, body: Buffer): void {
  if (body.length === 0) throw bodyError('is required', 'required');
  refuseCompressed(request);
  const contentType = request.headers['content-type'];
  if (contentType === undefined || !isJsonType(contentType)) throw bodyError('must be sent as application/json');
}

function refuseCompressed(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw bodyError('must not be compressed');
}

/** The media type of RFC 8259; a charset, which it does not define but people send, can only be UTF-8. */
function isJsonType(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  return type.trim() === 'application/json' && parameters.every(isUtf8OrNoCharset);
}

function isUtf8OrNoCharset(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name.trim() !== 'charset' || ['utf-8', '"utf-8"', 'utf8'].includes(value.trim());
}

/** 413: the limit of all bodies, or of a file. */
function tooLarge(limitBytes = BODY_LIMIT_BYTES): ApiError {
  return new ApiError('REQUEST_BODY_INVALID', {
    status: 413,
    details: { body: [{ code: 'length', message: `must be at most ${limitBytes} bytes` }] },
  });
}

function timedOut(): ApiError {
  return new ApiError('REQUEST_TIMEOUT', { headers: { Connection: 'close' } });
}
