/** Place where a text stops being JSON; line and column begin with 1, the column counts characters. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  /** Part of the text that is wrong there; null if the text ends too soon. */
  readonly found: string | null;
  readonly expected: string;
}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 section 7 forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const STRING_START = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;
const BLANKS = /[ \t\n\r]*/y;
const MAX_FOUND = 12;

/** Place where a text that is not JSON (RFC 8259) stops being JSON. Nesting costs stack: limit it before. */
export function findJsonFault(text: string): JsonFault {
  const scan = new Scan(text);
  const fault = scan.value() ?? scan.end();
  const { at, expected } = fault ?? { at: text.length, expected: 'JSON' };
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1;
  const found = at >= text.length ? null : (/^(?:\w+|[^])/u.exec(text.slice(at, at + MAX_FOUND))?.[0] ?? null);
  return { line, column, found, expected };
}

/** Sentence part about a place: `line 2, column 5: expected a colon, found "}"`. */
export function faultInWords({ line, column, found, expected }: JsonFault): string {
  const what = found === null ? 'the end' : JSON.stringify(found);
  return `line ${line}, column ${column}: expected ${expected}, found ${what}`;
}

interface Stop {
  readonly at: number;
  readonly expected: string;
}

/** Reads a text from left to right; each method returns where it had to stop, or null. */
class Scan {
  #at = 0;

  constructor(private readonly text: string) {}

  value(expected = 'a value'): Stop | null {
    this.#skip(BLANKS);
    if (this.#take('{')) return this.#members('}', () => this.#member());
    if (this.#take('[')) return this.#members(']', () => this.value());
    if (this.#peek() === '"') return this.#string();
    return this.#skip(LITERAL) ? null : this.#stop(expected);
  }

  end(): Stop | null {
    this.#skip(BLANKS);
    return this.#at < this.text.length ? this.#stop('the end') : null;
  }

  /** Entries up to a closing bracket, separated by commas. */
  #members(close: string, entry: () => Stop | null): Stop | null {
    this.#skip(BLANKS);
    if (this.#take(close)) return null;
    for (;;) {
      const stop = entry();
      if (stop !== null) return stop;
      this.#skip(BLANKS);
      if (this.#take(close)) return null;
      if (!this.#take(',')) return this.#stop(`a comma or "${close}"`);
    }
  }

  #member(): Stop | null {
    this.#skip(BLANKS);
    if (this.#peek() !== '"') return this.#stop('a name in double quotes');
    const stop = this.#string();
    if (stop !== null) return stop;
    this.#skip(BLANKS);
    return this.#take(':') ? this.value() : this.#stop('a colon');
  }

  #string(): Stop | null {
    if (this.#skip(STRING)) return null;
    this.#skip(STRING_START);
    if (this.#at >= this.text.length) return this.#stop('a closing double quote');
    return this.#stop(this.#peek() === '\\' ? 'an escape sequence of JSON' : 'a closing double quote in this line');
  }

  #peek(): string | undefined {
    return this.text[this.#at];
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found === null) return false;
    this.#at += found[0].length;
    return true;
  }

  #stop(expected: string): Stop {
    return { at: this.#at, expected };
  }
}
