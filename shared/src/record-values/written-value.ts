/** Presentation format with all its rules (RFC 1035 section 5.1): comments, parentheses, `\DDD` and `\X`. */
const zoneFileToken = /[\s()]+|;[^\n]*|"((?:[^"\\]|\\.)*)"|((?:="(?:[^"\\]|\\.)*"|\\.|[^\s();\\])+)/gsy;
/** Words between blanks, with the quotation marks alone: every other character stands for itself. */
const literalToken = /\s+|"([^"]*)"(?!\S)|(\S+)/gy;

/**
 * Ways to read what people write. `zoneFile` is presentation format, where a text is in quotation marks. The others take
 * a text without them: `literal` as it is, `escaped` with the escapes of a zone file.
 */
export const writingStyles = ['zoneFile', 'literal', 'escaped'] as const;
export type WritingStyle = (typeof writingStyles)[number];

interface Token {
  readonly text: string;
  readonly isQuoted: boolean;
  /** Offset in the value. */
  readonly start: number;
}

/** A value of a record as text, field by field. */
export class WrittenValue {
  readonly #value: string;
  readonly #style: WritingStyle;
  readonly #tokens: readonly Token[];
  #next = 0;

  /** @throws RangeError for a backslash at the end */
  constructor(value: string, style: WritingStyle) {
    this.#value = value;
    this.#style = style;
    this.#tokens = tokensOf(value, style === 'literal' ? literalToken : zoneFileToken);
  }

  get isAtEnd(): boolean {
    return this.#next === this.#tokens.length;
  }

  /** The next field, its escapes as they are written. @throws RangeError at the end */
  word(): string {
    const token = this.#tokens[this.#next];
    if (token === undefined) throw new RangeError('a field is missing');
    this.#next += 1;
    return token.text;
  }

  /** All other fields, joined: blanks inside hexadecimal digits and base64 mean nothing. */
  joinedWords(): string {
    let text = '';
    while (!this.isAtEnd) text += this.word();
    return text;
  }

  /** The octets of the next field. */
  string(): Buffer {
    return this.#octets(this.word());
  }

  /** The octets of a text up to the end of the value: strings in quotation marks are joined, one without them has blanks. */
  text(): Buffer {
    const tokens = this.#tokens.slice(this.#next);
    const [first] = tokens;
    if (first === undefined) throw new RangeError('a text is missing');
    this.#next = this.#tokens.length;
    if (this.#style !== 'zoneFile') return this.#octets(this.#value.slice(first.start).trimEnd());
    if (!tokens.every(({ isQuoted }) => isQuoted)) throw new RangeError('a text without quotation marks');
    return Buffer.concat(tokens.map(({ text }) => undoEscapes(text)));
  }

  #octets(text: string): Buffer {
    return this.#style === 'literal' ? Buffer.from(text) : undoEscapes(text);
  }
}

/** UTF-8 of a text in which `\DDD` is an octet and `\X` the character X. @throws RangeError for an octet above 255 */
export function undoEscapes(text: string): Buffer {
  if (!text.includes('\\')) return Buffer.from(text);
  const parts = [...text.matchAll(/\\(\d{3})|\\(.)|[^\\]+/gsu)].map(([token, digits, character]) => {
    if (digits === undefined) return Buffer.from(character ?? token);
    if (Number(digits) > 255) throw new RangeError(`\\${digits} is not an octet`);
    return Buffer.of(Number(digits));
  });
  return Buffer.concat(parts);
}

function tokensOf(value: string, pattern: RegExp): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const { 0: all, 1: quoted, 2: word, index } of value.matchAll(pattern)) {
    end = index + all.length;
    const text = quoted ?? word;
    if (text !== undefined) tokens.push({ text, isQuoted: quoted !== undefined, start: index });
  }
  if (end < value.length) throw new RangeError('a backslash without a character');
  return tokens;
}
