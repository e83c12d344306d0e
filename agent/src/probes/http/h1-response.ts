import { trimBlanks } from '@vantage/shared/headers/trim-blanks.js';
import { ProbeFailure } from '../failure.js';
import { fieldValues } from './field-values.js';
import {
  MAX_CHUNK_EXTENSION_BYTES,
  MAX_CHUNK_LINE_BYTES,
  MAX_HEADER_BYTES,
  MAX_HEADER_LINES,
  MAX_TRAILER_BYTES,
  MAX_TRAILER_LINES,
} from './limits.js';

/** Status line and headers of a response; `rawHeaders` are names and values in turn, as Latin-1. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly httpVersion: '1.0' | '1.1';
  readonly rawHeaders: readonly string[];
}

/** Receives the parts of a response as they are read. */
export interface ResponseParts {
  onInterim(head: ResponseHead): void;
  onHead(head: ResponseHead): void;
  onBody(chunk: Buffer): void;
  onEnd(): void;
}

/**
 * Next element of a response:
 *
 *     status -> header* -> (1xx: status) -> length | close | chunk-size | done
 *     chunk-size -> length -> chunk-end -> chunk-size … -> trailer* -> done
 */
type Step = 'status' | 'header' | 'length' | 'close' | 'chunk-size' | 'chunk-end' | 'trailer' | 'done';

const LF = 0x0a;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters of a length or of transfer codings at most: there are a few. */
const MAX_FRAMING_LENGTH = 1024;
/** Limits of the final head together with all interim ones before it, and of what comes after it: trailers, a line before a chunk. */
const headLimits = { bytes: MAX_HEADER_BYTES, lines: MAX_HEADER_LINES };
const trailerLimits = { bytes: MAX_TRAILER_BYTES, lines: MAX_TRAILER_LINES };

/**
 * Reads one response of HTTP/1.x (RFC 9112) from bytes in pieces of any size, as leniently as curl and browsers: a lone LF
 * ends a line; blank lines before the status are skipped; a folded header is one; blanks before a colon and control characters in a value are taken; a line whose name
 * is not a token is skipped; chunks rule a length (section 6.3). Refused are NUL, a lone CR, a line without a colon, and
 * lengths that differ. Nothing is kept beyond the limits.
 */
export class ResponseReader {
  readonly #method: string;
  readonly #parts: ResponseParts;
  #step: Step = 'status';
  #line = '';
  #limits = headLimits;
  /** Bytes and header lines that count towards the limits. */
  #bytes = 0;
  #headerLines = 0;
  #extensionBytes = 0;
  #chunkLineBytes = 0;
  #statusLine: Pick<ResponseHead, 'statusCode' | 'httpVersion'> = { statusCode: 0, httpVersion: '1.1' };
  #rawHeaders: string[] = [];
  /** True while the lines that continue the last header belong to one that is skipped. */
  #isSkipping = false;
  #isChunked = false;
  #bytesLeft = 0;

  /** `method` is that of the request: the answer to HEAD has no body. */
  constructor(method: string, parts: ResponseParts) {
    this.#method = method;
    this.#parts = parts;
  }

  /** Reads no further. */
  stop(): void {
    this.#step = 'done';
  }

  /** @throws ProbeFailure http_protocol, http_headers_too_large */
  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#step !== 'done'; ) {
      at = this.#step === 'length' || this.#step === 'close' ? this.#takeBody(bytes, at) : this.#takeLine(bytes, at);
    }
  }

  /** The connection ended. @throws ProbeFailure http_protocol when the response has not */
  end(): void {
    if (this.#step === 'done') return;
    if (this.#step !== 'close')
      throw new ProbeFailure('http_protocol', 'the connection was closed before the response was complete');
    this.#finish();
  }

  #takeBody(bytes: Buffer, at: number): number {
    const end = this.#step === 'close' ? bytes.length : Math.min(bytes.length, at + this.#bytesLeft);
    this.#bytesLeft -= end - at;
    const isLast = this.#step === 'length' && this.#bytesLeft === 0;
    this.#parts.onBody(bytes.subarray(at, end));
    if (isLast && this.#isChunked) this.#step = 'chunk-end';
    else if (isLast) this.#finish();
    return end;
  }

  #takeLine(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(LF, at);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    this.#bytes += end - at;
    // not for every piece: to look at a text that was joined from pieces is to copy it
    const isBeginning = this.#step === 'status' && this.#line.length < PROTOCOL.length;
    this.#line += bytes.toString('latin1', at, end);
    if (isBeginning) checkBeginning(this.#line);
    if (this.#bytes > this.#limits.bytes) throw tooLarge(`more than ${this.#limits.bytes} bytes of headers`);
    if (lineFeed < 0) return end;
    const line = withoutLineEnd(this.#line);
    this.#line = '';
    this.#readLine(line);
    return end;
  }

  #readLine(line: string): void {
    switch (this.#step) {
      case 'status':
        // of a body that was longer than its length, or of a program that began a line too early
        if (line === '') break;
        this.#statusLine = parseStatusLine(line);
        this.#step = 'header';
        break;
      case 'header':
        if (line === '') this.#endHead();
        else this.#addHeader(line);
        break;
      case 'chunk-size':
        this.#beginChunk(line);
        break;
      case 'chunk-end':
        if (line !== '') throw invalid('a chunk is longer than its size');
        this.#begin('chunk-size');
        break;
      case 'trailer':
        if (line === '') this.#finish();
        else this.#addHeader(line);
        break;
    }
  }

  /** Begins an element behind the head. */
  #begin(step: Step): void {
    this.#step = step;
    this.#limits = trailerLimits;
    this.#bytes = 0;
    this.#headerLines = 0;
  }

  #addHeader(line: string): void {
    this.#headerLines += 1;
    if (this.#headerLines > this.#limits.lines) throw tooLarge(`more than ${this.#limits.lines} header lines`);
    if (/[\0\r]/.test(line)) throw invalid('a header has NUL or a lone CR');
    const { length } = this.#rawHeaders;
    const isContinued = line.startsWith(' ') || line.startsWith('\t');
    if (isContinued && this.#isSkipping) return;
    if (isContinued && length > 0) {
      const more = trimBlanks(line);
      if (more !== '') this.#rawHeaders[length - 1] += ` ${more}`;
      return;
    }
    const colon = line.indexOf(':');
    if (colon < 0 || isContinued) throw invalid('a header has no colon');
    const name = trimBlanks(line.slice(0, colon));
    this.#isSkipping = !token.test(name);
    if (!this.#isSkipping) this.#rawHeaders.push(name, trimBlanks(line.slice(colon + 1)));
  }

  #endHead(): void {
    const { statusCode } = this.#statusLine;
    const head = { rawHeaders: this.#rawHeaders, ...this.#statusLine };
    if (statusCode === 101) throw invalid('the server switched protocols (101) without a request');
    this.#rawHeaders = [];
    this.#isSkipping = false;
    if (statusCode < 200) {
      this.#step = 'status';
      return this.#parts.onInterim(head);
    }
    const framing = framingOf(head, this.#method);
    this.#isChunked = framing === 'chunked';
    this.#bytesLeft = typeof framing === 'number' ? framing : 0;
    this.#begin(framing === 'chunked' ? 'chunk-size' : framing === 'close' ? 'close' : 'length');
    this.#parts.onHead(head);
    if (framing === 0 && this.#step === 'length') this.#finish();
  }

  #beginChunk(line: string): void {
    const [, digits = '', extension = ''] = /^0*([0-9a-f]{1,12})[ \t]*(;.*)?$/i.exec(line) ?? [];
    if (digits === '') throw invalid('the size of a chunk is not a number');
    this.#extensionBytes += extension.length;
    // with both line ends
    this.#chunkLineBytes += line.length + 4;
    if (this.#chunkLineBytes > MAX_CHUNK_LINE_BYTES) throw invalid('a body of tiny chunks');
    if (this.#extensionBytes > MAX_CHUNK_EXTENSION_BYTES)
      throw tooLarge('chunk extensions longer than the limit of headers');
    this.#bytesLeft = Number.parseInt(digits, 16);
    this.#begin(this.#bytesLeft === 0 ? 'trailer' : 'length');
  }

  #finish(): void {
    this.#step = 'done';
    this.#parts.onEnd();
  }
}

/** Framing of the body (RFC 9112 section 6.3): a number of bytes, chunks, or the end of the connection. */
function framingOf({ statusCode, rawHeaders }: ResponseHead, method: string): number | 'chunked' | 'close' {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return 0;
  // identity was a coding once (RFC 2616 section 3.6): it is none
  const codings = membersOf(rawHeaders, 'transfer-encoding').filter((coding) => !/^(?:identity)?$/i.test(coding));
  if (codings.length > 0) return codings.at(-1)?.toLowerCase() === 'chunked' ? 'chunked' : 'close';
  const lengths = membersOf(rawHeaders, 'content-length').map((length) => length.replace(/^0+(?=\d)/, ''));
  const [length = null] = lengths;
  if (length === null) return 'close';
  if (!/^\d{1,15}$/.test(length) || lengths.some((other) => other !== length)) throw invalid('no valid length');
  return Number(length);
}

/** The members of a header that is a list, however many lines it takes (RFC 9110 section 5.3). */
function membersOf(rawHeaders: readonly string[], name: string): string[] {
  const values = fieldValues(rawHeaders, name);
  if (values.length === 0) return [];
  const list = values.join();
  if (list.length > MAX_FRAMING_LENGTH) throw invalid(`more than ${MAX_FRAMING_LENGTH} characters of ${name}`);
  return list.split(',').map(trimBlanks);
}

function parseStatusLine(line: string): Pick<ResponseHead, 'statusCode' | 'httpVersion'> {
  const [, minor, status] = /^HTTP\/(?:1\.(\d)|[2-9](?:\.\d)?)[ \t]+([1-9]\d\d)(?!\d)[^\0\r]*$/i.exec(line) ?? [];
  if (status === undefined) throw invalid('no status line of HTTP/1');
  // a later version is read as the last one that is known (RFC 9110 section 2.5), also HTTP/2.0, which some servers and proxies write
  return { statusCode: Number(status), httpVersion: minor === '0' ? '1.0' : '1.1' };
}

/** Beginning of every status line. */
const PROTOCOL = 'HTTP/';

/** HTTP/0.9 and other protocols are known by their first bytes; an answer in one may never have a line. */
function checkBeginning(line: string): void {
  if (/^\r*\n?$/.test(line)) return;
  const start = line.slice(0, PROTOCOL.length).toUpperCase();
  if (!PROTOCOL.startsWith(start)) throw invalid('no status line of HTTP/1');
}

/** Without LF and any CR before it (RFC 9112 section 2.2). */
function withoutLineEnd(line: string): string {
  let end = line.length - 1;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

function invalid(what: string): ProbeFailure {
  return new ProbeFailure('http_protocol', `the response is not valid HTTP: ${what}`);
}

function tooLarge(what: string): ProbeFailure {
  return new ProbeFailure('http_headers_too_large', what);
}
