// A small part of regular expressions, which is what schemas use: literals, escapes, classes, groups, quantifiers.
//   pattern = branch { "|" branch }    branch = { atom [ quantifier ] }    atom = class | group | escape | character

/** Characters of a class, in the order of preference for examples. */
const ORDER = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-.:/+=~!#$%&*';

/** Far enough apart in any alphabet that a repeated class does not look like the alphabet. */
const STRIDE = 7;

/**
 * A short text that the pattern matches, always the same one.
 * @throws RangeError for what it cannot read, or when its text does not match (a lookahead, a back reference)
 */
export function patternExample(pattern: string): string {
  const reader = new PatternReader(pattern);
  const text = reader.branches();
  if (!reader.isAtEnd || !new RegExp(pattern, 'u').test(text)) {
    throw new RangeError(`no example for the pattern "${pattern}": give its schema one`);
  }
  return text;
}

class PatternReader {
  #at = 0;

  constructor(private readonly pattern: string) {}

  get isAtEnd(): boolean {
    return this.#at >= this.pattern.length;
  }

  /** The text of the first alternative. */
  branches(): string {
    const text = this.#branch();
    while (this.#take('|')) this.#branch();
    return text;
  }

  #branch(): string {
    let text = '';
    while (!this.isAtEnd && !'|)'.includes(this.#peek())) {
      const atom = this.#atom();
      for (let index = 0, count = this.#quantifier(); index < count; index++) text += atom(index);
    }
    return text;
  }

  /** Atom as a function of how often it occurred before. */
  #atom(): (index: number) => string {
    const character = this.#next();
    switch (character) {
      case '^':
      case '$':
        return () => '';
      case '(':
        return this.#group();
      case '[':
        return choiceOf(this.#class());
      case '\\':
        return choiceOf(escaped(this.#next()));
      case '.':
        return choiceOf(ORDER);
      default:
        return () => character;
    }
  }

  #group(): () => string {
    if (this.#take('?')) this.#take(':');
    const text = this.branches();
    this.#take(')');
    return () => text;
  }

  #class(): string {
    const isNegated = this.#take('^');
    let members = '';
    while (!this.isAtEnd && !this.#take(']')) {
      const first = this.#take('\\') ? escaped(this.#next()) : this.#next();
      const isRange = this.#peek() === '-' && this.pattern[this.#at + 1] !== ']';
      members += isRange ? rangeOf(first, this.#upper()) : first;
    }
    const isMember = (character: string) => members.includes(character) !== isNegated;
    return [...ORDER].filter(isMember).join('') || members;
  }

  #upper(): string {
    this.#take('-');
    return this.#next();
  }

  /** Number of repetitions: the least that is allowed, but at least one where possible. */
  #quantifier(): number {
    if (this.#take('*') || this.#take('+')) return 1;
    if (this.#take('?')) return 0;
    const bounds = /^\{(\d+)(?:,\d*)?\}/.exec(this.pattern.slice(this.#at));
    if (bounds === null) return 1;
    this.#at += bounds[0].length;
    return Number(bounds[1]) || 1;
  }

  #peek(): string {
    return this.pattern.charAt(this.#at);
  }

  #next(): string {
    this.#at += 1;
    return this.pattern.charAt(this.#at - 1);
  }

  #take(character: string): boolean {
    if (this.isAtEnd || this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }
}

function choiceOf(characters: string): (index: number) => string {
  return (index) => characters.charAt((index * STRIDE) % characters.length);
}

function escaped(character: string): string {
  switch (character) {
    case 'd':
      return '1234567890';
    case 'w':
      return 'abcdefghijklmnopqrstuvwxyz0123456789_';
    case 's':
      return ' ';
    default:
      return character;
  }
}

function rangeOf(first: string, last: string): string {
  let members = '';
  for (let code = first.charCodeAt(0); code <= last.charCodeAt(0); code++) members += String.fromCharCode(code);
  return members;
}
