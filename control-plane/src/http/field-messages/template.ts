import type { Locale } from '../locale.js';

/** Languages that messages are translated into: they are written in English where they are made. */
export type Translation = Exclude<Locale, 'en'>;

/**
 * A message in English and its translations. English has holes for what differs: `{}` for values (words, a list of words
 * with commas, or something in quotes), which stay as they are; `{text}` for another message of the catalog, which is
 * translated too; `{foreign}` for words of a library or a person, which stay as they are unless the catalog has them.
 * Translations name the holes `{1}` to `{9}`, in any order.
 */
export type CatalogEntry = readonly [en: string, zhCn: string, zhTw: string];

/** Kind of text that fills a hole. */
type HoleKind = '' | 'text' | 'foreign';

const ENGLISH_HOLE = /\{(|text|foreign)\}/;
const TRANSLATED_HOLE = /\{([1-9])\}/;

/** Text of a hole as it was found in a message. */
interface Filling {
  readonly kind: HoleKind;
  readonly found: string;
}

/** An entry of the catalog, compiled. */
export class Template {
  readonly english: string;
  /** First word of every message that fits; null if it differs. */
  readonly firstWord: string | null;
  /** Characters that are the same in every message that fits. */
  readonly literalLength: number;
  readonly holes: readonly HoleKind[];
  readonly #literals: readonly string[];
  readonly #translations: Readonly<Record<Translation, readonly string[]>>;

  /** @throws RangeError if a translation does not have exactly the holes of the English text */
  constructor([english, zhCn, zhTw]: CatalogEntry) {
    const parts = english.split(ENGLISH_HOLE);
    this.english = english;
    this.#literals = parts.filter((_, index) => index % 2 === 0);
    this.holes = parts.filter((_, index) => index % 2 === 1) as HoleKind[];
    this.literalLength = this.#literals.join('').length;
    const [head = ''] = this.#literals;
    this.firstWord = this.holes.length === 0 || head.includes(' ') ? firstWordOf(head) : null;
    this.#translations = { 'zh-CN': this.#translation(zhCn), 'zh-TW': this.#translation(zhTw) };
  }

  /**
   * Texts in the holes of a message; null if the message does not fit. Each hole takes as little as it can, so the time
   * is linear in the length of the message, whatever a caller wrote into its values.
   */
  match(message: string): Filling[] | null {
    const [head = ''] = this.#literals;
    if (this.holes.length === 0) return message === head ? [] : null;
    const tail = this.#literals.at(-1) ?? '';
    if (!message.startsWith(head) || !message.endsWith(tail)) return null;
    const end = message.length - tail.length;
    const fillings: Filling[] = [];
    let from = head.length;
    for (const [index, kind] of this.holes.entries()) {
      const literal = this.#literals[index + 1] ?? '';
      const at = index === this.holes.length - 1 ? end : message.indexOf(literal, from + 1);
      if (at <= from) return null;
      const found = message.slice(from, at);
      if (kind === '' && !isValue(found)) return null;
      fillings.push({ kind, found });
      from = at + literal.length;
    }
    return fillings;
  }

  /** The translation with these texts in its holes. */
  fill(texts: readonly string[], locale: Translation): string {
    return this.#translations[locale]
      .map((part, index) => (index % 2 === 0 ? part : (texts[Number(part) - 1] ?? '')))
      .join('');
  }

  #translation(text: string): readonly string[] {
    const parts = text.split(TRANSLATED_HOLE);
    const numbers = parts.filter((_, index) => index % 2 === 1).map(Number);
    const isWhole = numbers.length === this.holes.length && this.holes.every((_, at) => numbers.includes(at + 1));
    if (!isWhole || /\{(?:text|foreign)?\}/.test(text))
      throw new RangeError(`the translation "${text}" does not have the holes of "${this.english}"`);
    return parts;
  }
}

export function firstWordOf(message: string): string {
  const blank = message.indexOf(' ');
  return blank < 0 ? message : message.slice(0, blank);
}

/** True for words with commas between them, and for what is in quotes: a sentence is no value. */
function isValue(text: string): boolean {
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return true;
  return !/\s/.test(text.replaceAll(', ', ''));
}
