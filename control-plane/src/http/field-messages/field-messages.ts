import type { FieldErrors } from '@vantage/shared/validation.js';
import type { Locale } from '../locale.js';
import { catalog } from './catalog.js';
import { firstWordOf, Template, type Translation } from './template.js';

/** Longest message that is translated, in characters. */
const MAX_LENGTH = 4_000;
/** Messages of one refusal that are translated at most. */
const MAX_MESSAGES = 100;
/** Messages in one another that are translated at most: a complaint, its reason, and a part of that. */
const MAX_DEPTH = 3;

/** Language of a translation, and how many messages a text is within, itself counted. */
interface Place {
  readonly locale: Translation;
  readonly depth: number;
}

/** A message and the language that it is in. */
export interface ShownMessage {
  readonly text: string;
  readonly locale: Locale;
}

/** Templates by first word, and those that begin with a hole; each with the most literal text first. */
const byFirstWord = new Map<string | null, Template[]>();
for (const entry of catalog) {
  const template = new Template(entry);
  const known = byFirstWord.get(template.firstWord);
  if (known === undefined) byFirstWord.set(template.firstWord, [template]);
  else known.push(template);
}
for (const templates of byFirstWord.values()) templates.sort((a, b) => b.literalLength - a.literalLength);

/**
 * `details` of an error in a language (API specification 7): each message is translated by the catalog. One that the
 * catalog does not have, is too long, or comes after the hundredth stays English.
 */
export function detailsIn(details: FieldErrors, locale: Locale): FieldErrors {
  if (locale === 'en') return details;
  let count = 0;
  const shown = Object.entries(details).map(([field, errors]) => [
    field,
    errors.map((error) =>
      ++count > MAX_MESSAGES ? error : { ...error, message: messageIn(error.message, locale).text },
    ),
  ]);
  return Object.fromEntries(shown);
}

/** One message of `details` in a language; English where the catalog has no translation. */
export function messageIn(message: string, locale: Locale): ShownMessage {
  const text = locale === 'en' ? null : translated(message, { locale, depth: 1 });
  return text === null ? { text: message, locale: 'en' } : { text, locale };
}

/** First message of `details` that the catalog does not have, or null. */
export function findUntranslated(details: FieldErrors): string | null {
  const messages = Object.values(details).flatMap((errors) => errors.map(({ message }) => message));
  return messages.find((message) => translated(message, { locale: 'zh-CN', depth: 1 }) === null) ?? null;
}

/** The template that translates a message, or null. */
export function findTemplate(message: string): Template | null {
  for (const template of candidatesFor(message))
    if (textsOf(template, message, { locale: 'zh-CN', depth: 1 }) !== null) return template;
  return null;
}

function translated(message: string, { locale, depth }: Place): string | null {
  if (message.length > MAX_LENGTH || depth > MAX_DEPTH) return null;
  for (const template of candidatesFor(message)) {
    const texts = textsOf(template, message, { locale, depth });
    if (texts !== null) return template.fill(texts, locale);
  }
  return null;
}

function candidatesFor(message: string): Template[] {
  return [...(byFirstWord.get(firstWordOf(message)) ?? []), ...(byFirstWord.get(null) ?? [])];
}

/** Texts for the holes of a translation; null if the message does not fit, or a message in it is unknown. */
function textsOf(template: Template, message: string, { locale, depth }: Place): string[] | null {
  const fillings = template.match(message);
  if (fillings === null) return null;
  const texts: string[] = [];
  for (const { kind, found } of fillings) {
    const text = kind === '' ? found : translated(found, { locale, depth: depth + 1 });
    if (text === null && kind === 'text') return null;
    texts.push(text ?? found);
  }
  return texts;
}
