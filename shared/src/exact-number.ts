// Numbers of JSON are decimals of any length (RFC 8259 section 6); JavaScript rounds them to about 16 digits. Those beyond 2^53 that would
// be another number afterwards, as ids are, are kept as they are written. Below it many programs write 0.1 as 0.10000000000000001,
// which is the same number to all of them:
//
//   1, 1.0, 1e2, 9007199254740991, 0.10000000000000001  ──> number
//   18014398509481985, 1e400                            ──> ExactNumber

/** Number of JSON that JavaScript would round, with all of its digits. */
export class ExactNumber {
  readonly #text: string;
  /** Read once: a stranger's number may have a hundred thousand digits. */
  readonly decimal: Decimal;

  /** `text`: number as JSON writes it. */
  constructor(text: string) {
    this.#text = text;
    this.decimal = decimalOf(text);
    // nothing of it is a member for those who walk through JSON
    Object.defineProperty(this, 'decimal', { enumerable: false });
  }

  toString(): string {
    return this.#text;
  }

  /** In JSON it is a text: most readers would round a number. */
  toJSON(): string {
    return this.#text;
  }
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** True of every text with a number that is rounded: 15 digits are always kept, and exponents of two digits. */
const MAY_BE_ROUNDED = /[\d.]{16}|\d[eE][+-]?\d{3}/;
/** True if a text is a number of JSON beyond 2^53 that is another number after JavaScript has read it. */
export function isRounded(text: string): boolean {
  if (!MAY_BE_ROUNDED.test(text) || !JSON_NUMBER.test(text)) return false;
  const read = Number(text);
  if (Math.abs(read) <= Number.MAX_SAFE_INTEGER) return false;
  return !Number.isFinite(read) || compareDecimals(decimalOf(String(read)), decimalOf(text)) !== 0;
}

/** True if a text is a number of JSON beyond 2^53, or one that is rounded: many programs cannot write such a number otherwise. */
export function isLargeNumber(text: string): boolean {
  return isRounded(text) || (JSON_NUMBER.test(text) && Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER);
}

/** First number of a well-formed text of JSON that JavaScript would round, or null. */
export function findRoundedNumber(json: string): string | null {
  for (const { start, end } of roundedIn(json)) return json.slice(start, end);
  return null;
}

/** Value of a text of JSON, its rounded numbers as ExactNumber. @throws SyntaxError */
export function parseExactJson(json: string): unknown {
  // first without them: only in well-formed JSON they can be distinguished
  const value: unknown = JSON.parse(json);
  const places = [...roundedIn(json)];
  if (places.length === 0) return value;
  // no text of a stranger begins with it
  const mark = crypto.randomUUID();
  const pieces = places.map(({ start, end }, index) => {
    return `${json.slice(places[index - 1]?.end ?? 0, start)}"${mark}${json.slice(start, end)}"`;
  });
  const marked = pieces.join('') + json.slice(places.at(-1)?.end);
  return JSON.parse(marked, (_, part: unknown) =>
    typeof part === 'string' && part.startsWith(mark) ? new ExactNumber(part.slice(mark.length)) : part,
  );
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Places of the rounded numbers in a well-formed text of JSON. */
function* roundedIn(json: string): Iterable<Place> {
  if (!MAY_BE_ROUNDED.test(json)) return;
  for (let at = 0; at < json.length; at += 1) {
    const one = json[at] as string;
    if (one === '"') at = endOfString(json, at + 1);
    else if (one === '-' || (one >= '0' && one <= '9')) {
      const start = at;
      while (/[\d.eE+-]/.test(json[at + 1] ?? '')) at += 1;
      if (isRounded(json.slice(start, at + 1))) yield { start, end: at + 1 };
    }
  }
}

/** Position of the quotation mark that ends a string. */
function endOfString(json: string, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

/** Order of two numbers by all of their digits: negative, 0 or positive; null if one of them is no number. */
export function compareNumbers(left: unknown, right: unknown): number | null {
  if (!isNumber(left) || !isNumber(right)) return null;
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : Number(left > right);
  return compareDecimals(toDecimal(left), toDecimal(right));
}

function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber;
}

function toDecimal(value: number | ExactNumber): Decimal {
  return typeof value === 'number' ? decimalOf(String(value)) : value.decimal;
}

/** Number as 0.DIGITS × 10^magnitude, without zeros at either end of the digits; zero has none. */
interface Decimal {
  readonly sign: 1 | -1;
  readonly digits: string;
  readonly magnitude: number;
}

function decimalOf(text: string): Decimal {
  const [, minus = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  const digits = all.slice(start, end);
  if (digits === '') return { sign: 1, digits, magnitude: 0 };
  return { sign: minus === '-' ? -1 : 1, digits, magnitude: whole.length - start + Number(exponent) };
}

function compareDecimals(left: Decimal, right: Decimal): number {
  if (left.digits === '' || right.digits === '') return signOf(left) - signOf(right);
  if (left.sign !== right.sign) return left.sign;
  if (left.magnitude !== right.magnitude) return left.magnitude < right.magnitude ? -left.sign : left.sign;
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -left.sign : left.sign;
}

function signOf({ sign, digits }: Decimal): number {
  return digits === '' ? 0 : sign;
}
