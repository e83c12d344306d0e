import { ProbeFailure } from '../failure.js';
import { connectionFailure } from './answer.js';
import { MAX_HEADER_BYTES } from './limits.js';

/** Error codes of RFC 9113 section 7, each at its number. */
const errorCodes = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

/** The connection ended before the answer; `code` is that of its GOAWAY (RFC 9113 section 7). */
export function connectionClosed(code: number): ProbeFailure {
  return new ProbeFailure(
    'http_protocol',
    `the connection was closed before the response was complete (${nameOf(code)})`,
  );
}

/** Bytes that headers beyond Node's limits take at least: a thousand, with the densest use of the table of HPACK. */
const MIN_EXCESSIVE_BYTES = 1000;

/**
 * The stream ended before the answer. Node itself resets streams whose headers are over its limits, with the code that
 * servers in distress use: `headBytes`, what has come before any header was understood, distinguishes them.
 */
export function resetFailure(code: number, headBytes: number): ProbeFailure {
  if (nameOf(code) === 'ENHANCE_YOUR_CALM' && headBytes >= MIN_EXCESSIVE_BYTES)
    return new ProbeFailure('http_headers_too_large', `more than ${MAX_HEADER_BYTES} bytes of headers`);
  return new ProbeFailure('http_protocol', `the stream was closed before the response was complete (${nameOf(code)})`);
}

/** True if an error says only that a stream was reset. */
export function isReset(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_HTTP2_STREAM_ERROR';
}

function nameOf(code: number): string {
  return errorCodes[code] ?? `error ${code}`;
}

/** Failure between request and response. Node's HTTP/2 names its errors ERR_HTTP2_*. */
export function http2Failure(error: unknown): ProbeFailure {
  const failure = connectionFailure(error);
  if (failure !== null) return failure;
  const message = error instanceof Error ? error.message : String(error);
  const because = { cause: error };
  // nghttp2 accepts eight of them: 144 KiB of headers, compressed
  if (message.includes('CONTINUATION'))
    return new ProbeFailure('http_headers_too_large', 'headers in too many CONTINUATION frames', because);
  return new ProbeFailure('http_protocol', `the response is not valid HTTP/2 (${message})`, because);
}
