import { manyLines, oneLine } from './formats/characters.js';
import { cut, firstCharacters, greatest } from './formats/cut.js';
import type { Message } from './message.js';

/** Greatest length of a value before it is escaped; what is longer is cut at once. */
const MAX_VALUE = 16_384;
const MAX_TITLE = 300;
/** Length that a title has however short the rest is. */
const MIN_TITLE = 40;
const SPACE_OF_LINE = 2;

/** First line of a message: its sentence, or its title where it has none. */
export function sentenceOf({ title, headline }: Pick<Message, 'title' | 'headline'>): string {
  return headline ?? title;
}

/** How a format writes the parts of a message. What is given to it has no control characters and is not escaped. */
export interface Format {
  title(text: string): string;
  fact(label: string, value: string): string;
  item(text: string): string;
  note(text: string): string;
  /** Text of the owner's template, of several lines. */
  custom(text: string): string;
  link(label: string, url: string): string;
}

/** Copy of a message with clean text, each value of it at most `units` UTF-16 code units long, items together too. */
export function shortened(message: Message, units: number): Message {
  const { headline, facts, items, note, customText, links } = message;
  const titleUnits = Math.min(MAX_TITLE, Math.max(MIN_TITLE, units));
  return {
    ...message,
    title: cut(cleanLine(message.title), titleUnits),
    ...(headline === undefined ? {} : { headline: cut(cleanLine(headline), titleUnits) }),
    facts: facts.map(({ label, value }) => ({ label: cleanLine(label), value: cut(cleanLine(value), units) })),
    items: firstItems(
      items.map((item) => cut(cleanLine(item), MAX_TITLE)),
      units,
    ),
    note: note === null ? null : cut(cleanLine(note), units),
    customText: customText === null ? null : cut(manyLines(firstCharacters(customText, MAX_VALUE)), units),
    links: links.map((link) => ({ ...link, label: cleanLine(link.label) })),
  };
}

/**
 * The message written by `write`, with values as long as `fits` allows. Title, labels and links always stay: links are
 * what people act by.
 */
export function fitted<T>(message: Message, write: (message: Message) => T, fits: (written: T) => boolean): T {
  const whole = write(shortened(message, MAX_VALUE));
  if (fits(whole)) return whole;
  const units = greatest(MAX_VALUE, (count) => fits(write(shortened(message, count))));
  return write(shortened(message, units));
}

/** Lines of a message in their order, its sentence first and its links last. */
export function linesOf(message: Message, format: Format): string[] {
  return [format.title(sentenceOf(message)), ...bodyLines(message, format), ...linkLines(message, format)];
}

/** The same without title and links. */
export function bodyLines({ customText, facts, items, note }: Message, format: Format): string[] {
  if (customText !== null) return [format.custom(customText)];
  return [
    ...facts.filter(({ value }) => value !== '').map(({ label, value }) => format.fact(label, value)),
    ...items.map((item) => format.item(item)),
    ...(note === null || note === '' ? [] : [format.note(note)]),
  ];
}

/** The links alone. */
export function linkLines({ links }: Message, format: Format): string[] {
  return links.map(({ label, url }) => format.link(label, url));
}

/** Format without markup, whose texts go through `escape`. */
export function plainFormat(escape: (text: string) => string): Format {
  return {
    title: escape,
    fact: (label, value) => escape(`${label}: ${value}`),
    item: (text) => escape(`• ${text}`),
    note: escape,
    custom: escape,
    link: (label, url) => `${escape(label)}: ${url}`,
  };
}

function firstItems(items: readonly string[], units: number): readonly string[] {
  let used = 0;
  return items.filter((item) => {
    used += item.length + SPACE_OF_LINE;
    return used <= units;
  });
}

function cleanLine(text: string): string {
  return oneLine(firstCharacters(text, MAX_VALUE));
}
