import { ProbeFailure } from '../failure.js';
import { MAX_CHUNK_EXTENSION_BYTES, MAX_CHUNK_LINE_BYTES, MAX_HEADER_BYTES, MAX_HEADER_LINES } from './limits.js';

/** Status line and headers of a response; `rawHeaders` are names and values in turn, as Latin-1. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly httpVersion: '1.0' | '1.1';
  readonly rawHeaders: readonly string[];
}

/** Receives the parts of a response as they are read. */
export interface ResponseParts {
  onInterim(statusCode: number): void;
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
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads one response of HTTP/1.x (RFC 9112) from bytes in pieces of any size. A lone LF ends a line and a folded header
 * is one, as curl and browsers have it; what could be read in two ways (lengths that differ, a length beside chunks) is
 * refused. Nothing is kept beyond the limits.
 */
export class ResponseReader {
  readonly #method: string;
  readonly #parts: ResponseParts;
  #step: Step = 'status';
  #line = '';
  #sectionBytes = 0;
  #extensionBytes = 0;
  #chunkLineBytes = 0;
  #statusLine: Pick<ResponseHead, 'statusCode' | 'httpVersion'> = { statusCode: 0, httpVersion: '1.1' };
  #rawHeaders: string[] = [];
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
    this.#sectionBytes += end - at;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#step === 'status') checkBeginning(this.#line);
    if (this.#sectionBytes > MAX_HEADER_BYTES) throw tooLarge(`more than ${MAX_HEADER_BYTES} bytes of headers`);
    if (lineFeed < 0) return end;
    const line = this.#line.endsWith('\r\n') ? this.#line.slice(0, -2) : this.#line.slice(0, -1);
    this.#line = '';
    this.#readLine(line);
    return end;
  }

  #readLine(line: string): void {
    switch (this.#step) {
      case 'status':
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
        this.#beginSection('chunk-size');
        break;
      case 'trailer':
        if (line === '') this.#finish();
        else this.#addHeader(line);
        break;
    }
  }

  #beginSection(step: Step): void {
    this.#step = step;
    this.#sectionBytes = 0;
  }

  #addHeader(line: string): void {
    const { length } = this.#rawHeaders;
    const isFolded = line.startsWith(' ') || line.startsWith('\t');
    if (isFolded && length > 0) {
      this.#rawHeaders[length - 1] += ` ${checkedValue(line.trim())}`;
      return;
    }
    if (length / 2 >= MAX_HEADER_LINES) throw tooLarge(`more than ${MAX_HEADER_LINES} header lines`);
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!token.test(name)) throw invalid('a header has no valid name');
    this.#rawHeaders.push(name, checkedValue(line.slice(colon + 1).trim()));
  }

  #endHead(): void {
    const { statusCode } = this.#statusLine;
    const head = { rawHeaders: this.#rawHeaders, ...this.#statusLine };
    if (statusCode === 101) throw invalid('the server switched protocols (101) without a request');
    this.#rawHeaders = [];
    if (statusCode < 200) {
      this.#beginSection('status');
      return this.#parts.onInterim(statusCode);
    }
    const framing = framingOf(head, this.#method);
    this.#isChunked = framing === 'chunked';
    this.#bytesLeft = typeof framing === 'number' ? framing : 0;
    this.#beginSection(framing === 'chunked' ? 'chunk-size' : framing === 'close' ? 'close' : 'length');
    this.#parts.onHead(head);
    if (framing === 0 && this.#step === 'length') this.#finish();
  }

  #beginChunk(line: string): void {
    const [, digits = '', extension = ''] = /^([0-9a-f]{1,12})[ \t]*(;.*)?$/i.exec(line) ?? [];
    if (digits === '') throw invalid('the size of a chunk is not a number');
    this.#extensionBytes += extension.length;
    // with both line ends
    this.#chunkLineBytes += line.length + 4;
    if (this.#chunkLineBytes > MAX_CHUNK_LINE_BYTES) throw invalid('a body of tiny chunks');
    if (this.#extensionBytes > MAX_CHUNK_EXTENSION_BYTES)
      throw tooLarge('chunk extensions longer than the limit of headers');
    this.#bytesLeft = Number.parseInt(digits, 16);
    this.#beginSection(this.#bytesLeft === 0 ? 'trailer' : 'length');
  }

  #finish(): void {
    this.#step = 'done';
    this.#parts.onEnd();
  }
}

/** Framing of the body (RFC 9112 section 6.3): a number of bytes, chunks, or the end of the connection. */
function framingOf({ statusCode, rawHeaders }: ResponseHead, method: string): number | 'chunked' | 'close' {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return 0;
  const codings = valuesOf(rawHeaders, 'transfer-encoding');
  const lengths = valuesOf(rawHeaders, 'content-length');
  if (codings.length > 0 && lengths.length > 0) throw invalid('both a length and a transfer coding');
  if (codings.length > 0) return codings.at(-1)?.toLowerCase() === 'chunked' ? 'chunked' : 'close';
  const [length = null] = lengths;
  if (length === null) return 'close';
  if (!/^\d{1,15}$/.test(length) || lengths.some((other) => other !== length)) throw invalid('no valid length');
  return Number(length);
}

/** The members of a header that is a list, however many lines it takes (RFC 9110 section 5.3). */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name)
      values.push(...(rawHeaders[i + 1] ?? '').split(',').map((value) => value.trim()));
  }
  return values;
}

function parseStatusLine(line: string): Pick<ResponseHead, 'statusCode' | 'httpVersion'> {
  const [, minor, status] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(line) ?? [];
  if (status === undefined) throw invalid('no status line of HTTP/1');
  return { statusCode: Number(status), httpVersion: minor === '0' ? '1.0' : '1.1' };
}

/** HTTP/0.9 and other protocols are known by their first bytes; an answer in one may never have a line. */
function checkBeginning(line: string): void {
  if (!(line.length < 7 ? 'HTTP/1.'.startsWith(line) : line.startsWith('HTTP/1.')))
    throw invalid('no status line of HTTP/1');
}

function checkedValue(value: string): string {
  if (!fieldValue.test(value)) throw invalid('a header has a control character');
  return value;
}

function invalid(what: string): ProbeFailure {
  return new ProbeFailure('http_protocol', `the response is not valid HTTP: ${what}`);
}

function tooLarge(what: string): ProbeFailure {
  return new ProbeFailure('http_headers_too_large', what);
}
