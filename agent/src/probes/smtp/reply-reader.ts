import { MAX_REPLY_LINES } from '@vantage/shared/probe-types/smtp.js';
import { ProbeFailure } from '../failure.js';

/** Bytes of one line with its end; RFC 5321 section 4.5.3.1.5 asks for 512, and some servers say more. */
const MAX_LINE_BYTES = 2048;
const MAX_REPLY_BYTES = 16 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/** One reply (RFC 5321 section 4.2). */
export interface SmtpReply {
  /** 200 to 599. */
  readonly code: number;
  /** Bytes behind the code of each line, as received. */
  readonly lines: readonly Buffer[];
}

/**
 * Reads replies from a stream of bytes, however it is split; a line ends with LF, with or without CR before it.
 *
 *   250-mail.example.com CRLF      code, hyphen, text: more lines follow
 *   250 STARTTLS CRLF              code, blank or nothing: the last line
 */
export class ReplyReader {
  #pending = Buffer.alloc(0);
  #lines: Buffer[] = [];
  #code: number | null = null;
  #bytes = 0;

  /** True if bytes have arrived that belong to no reply that was taken. */
  get hasMore(): boolean {
    return this.#pending.length > 0 || this.#lines.length > 0;
  }

  /** The next reply once it is whole; null before. @throws ProbeFailure smtp_rejected for what no mail server says */
  push(chunk: Buffer): SmtpReply | null {
    const bytes = Buffer.concat([this.#pending, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      const isLast = this.#takeLine(bytes.subarray(start, end + 1));
      start = end + 1;
      if (!isLast) continue;
      this.#pending = bytes.subarray(start);
      return this.#takeReply();
    }
    this.#pending = bytes.subarray(start);
    if (this.#pending.length > MAX_LINE_BYTES) throw tooMuch(`a line of more than ${MAX_LINE_BYTES} bytes`);
    return null;
  }

  /** Keeps a line, end included; whether it was the last of its reply. */
  #takeLine(line: Buffer): boolean {
    this.#bytes += line.length;
    if (line.length > MAX_LINE_BYTES) throw tooMuch(`a line of more than ${MAX_LINE_BYTES} bytes`);
    if (this.#bytes > MAX_REPLY_BYTES) throw tooMuch(`a reply of more than ${MAX_REPLY_BYTES} bytes`);
    if (this.#lines.length >= MAX_REPLY_LINES) throw tooMuch(`a reply of more than ${MAX_REPLY_LINES} lines`);
    const text = line.subarray(0, line.at(-2) === CR ? -2 : -1);
    const [, code = '', divider = ''] = /^([2-5]\d\d)([ -]?)/.exec(text.toString('latin1', 0, 4)) ?? [];
    if (code === '' || (divider === '' && text.length > 3)) {
      throw new ProbeFailure('smtp_rejected', 'the server does not speak SMTP: a line without a reply code');
    }
    this.#code ??= Number(code);
    if (this.#code !== Number(code)) {
      throw new ProbeFailure(
        'smtp_rejected',
        `the server does not speak SMTP: one reply with ${this.#code} and ${code}`,
      );
    }
    // a copy: the rest must not retain the whole chunk
    this.#lines.push(Buffer.from(text.subarray(4)));
    return divider !== '-';
  }

  #takeReply(): SmtpReply {
    const reply = { code: this.#code ?? 0, lines: this.#lines };
    this.#lines = [];
    this.#code = null;
    this.#bytes = 0;
    return reply;
  }
}

function tooMuch(what: string): ProbeFailure {
  return new ProbeFailure('smtp_rejected', `the server sent too much: ${what}`);
}
