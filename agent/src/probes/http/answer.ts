import type { Clock } from '@vantage/shared/clock.js';
import { combineFields } from '@vantage/shared/headers/combine-fields.js';
import { socketFailure } from '../../net/socket-failure.js';
import { tlsFailure } from '../../net/tls/handshake.js';
import { ProbeFailure } from '../failure.js';
import { fieldLines } from './field-values.js';
import type { Hop } from './hop.js';
import {
  MAX_HEADER_BYTES,
  MAX_HEADER_LINES,
  MAX_INTERIM_RESPONSES,
  MAX_TRAILER_BYTES,
  MAX_TRAILER_LINES,
} from './limits.js';

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Filled in with what arrives. */
  readonly hop: Hop;
  /** User agent of the request. */
  readonly userAgent: string;
  /** Called once the headers are in `hop`; false ends the exchange there. */
  readonly wantsBody: () => boolean;
}

export type AnswerOptions = Pick<ExchangeOptions, 'clock' | 'hop'>;

/** One response as it arrives over any protocol: times, limits, and its part in the hop. */
export class Answer {
  readonly #options: AnswerOptions;
  readonly #sentAt: number;
  #interimResponses = 0;
  #headerLines = 0;
  #headerBytes = 0;

  /** Starts the wait for the first byte. */
  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#sentAt = options.clock.monotonicMs();
  }

  /** The first byte is there; later calls do nothing. */
  begin(): void {
    const { hop, clock } = this.#options;
    if (hop.firstByteAt !== null) return;
    hop.firstByteAt = clock.monotonicMs();
    hop.ttfbMs = hop.firstByteAt - this.#sentAt;
  }

  /** True if status and headers have arrived. */
  get hasHead(): boolean {
    return this.#options.hop.statusCode !== null;
  }

  /** True if less of the body has arrived than its length says (RFC 9110 section 8.6). */
  get isShort(): boolean {
    const { headers, statusCode, body } = this.#options.hop;
    return statusCode !== 304 && body.length < Number(headers['content-length'] ?? 0);
  }

  /**
   * One more 1xx response with its headers, names and values in turn.
   * @throws ProbeFailure http_protocol, http_headers_too_large
   */
  takeInterim(rawHeaders: readonly string[]): void {
    this.#countHeaders(rawHeaders);
    this.#interimResponses += 1;
    if (this.#interimResponses > MAX_INTERIM_RESPONSES)
      throw new ProbeFailure('http_protocol', `more than ${MAX_INTERIM_RESPONSES} interim (1xx) responses`);
  }

  /**
   * Status and headers, names and values in turn; those of HTTP/2's own begin with a colon.
   * @throws ProbeFailure http_headers_too_large
   */
  takeHead(statusCode: number, httpVersion: string, rawHeaders: readonly string[]): void {
    const { hop } = this.#options;
    this.#countHeaders(rawHeaders);
    hop.statusCode = statusCode;
    hop.httpVersion = httpVersion;
    hop.rawHeaders = rawHeaders;
    hop.headers = combineFields(fieldLines(rawHeaders));
  }

  /** Limits are those of all heads of a response together: one of HTTP/2 may refer to what the last one contained. */
  #countHeaders(rawHeaders: readonly string[]): void {
    const { lines, bytes } = sizeOf(rawHeaders);
    this.#headerLines += lines;
    this.#headerBytes += bytes;
    checkSize(
      { lines: this.#headerLines, bytes: this.#headerBytes },
      { lines: MAX_HEADER_LINES, bytes: MAX_HEADER_BYTES },
    );
  }

  /** Headers behind the body. @throws ProbeFailure http_headers_too_large */
  takeTrailers(rawHeaders: readonly string[]): void {
    checkSize(sizeOf(rawHeaders), { lines: MAX_TRAILER_LINES, bytes: MAX_TRAILER_BYTES });
  }

  /** A piece of the body; false when that was all that is read of it. */
  takeChunk(chunk: Buffer): boolean {
    const { hop } = this.#options;
    hop.isCut = !hop.body.add(chunk);
    return !hop.isCut;
  }

  /** The last byte that is read is there. */
  complete(): void {
    const { hop, clock } = this.#options;
    hop.completedAt = clock.monotonicMs();
    if (hop.firstByteAt !== null) hop.downloadMs = hop.completedAt - hop.firstByteAt;
  }
}

/**
 * Failure that ended an exchange: failures as they are, else the failure for the system's or OpenSSL's error; null
 * for an error that only the protocol's own reader can explain.
 */
export function connectionFailure(error: unknown): ProbeFailure | null {
  if (error instanceof ProbeFailure) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('ERR_SSL_')) return tlsFailure(error);
  return code.startsWith('ERR_') ? null : socketFailure(error, 'connection');
}

interface HeaderSize {
  readonly lines: number;
  readonly bytes: number;
}

function sizeOf(rawHeaders: readonly string[]): HeaderSize {
  const lines = rawHeaders.filter((name, i) => i % 2 === 0 && !name.startsWith(':')).length;
  return { lines, bytes: rawHeaders.reduce((sum, text) => sum + text.length, 0) };
}

function checkSize({ lines, bytes }: HeaderSize, most: HeaderSize): void {
  if (lines > most.lines) throw new ProbeFailure('http_headers_too_large', `more than ${most.lines} header lines`);
  if (bytes > most.bytes) throw new ProbeFailure('http_headers_too_large', `more than ${most.bytes} bytes of headers`);
}
