import { instantText } from '../http/instant-text.js';
import type { Locale } from '../http/locale.js';

/** News of a message: good, bad, between the two, or neither. */
export type Tone = 'good' | 'bad' | 'warning' | 'neutral';

/** Colours of tones: green, red, orange and blue, on white. */
export const toneColours: Readonly<Record<Tone, string>> = {
  good: '#17703a',
  bad: '#b42318',
  warning: '#8a5a00',
  neutral: '#0b5cad',
};

/** A fact of a mail, and its name. */
export interface MailFact {
  readonly label: string;
  readonly value: string;
}

/** An http(s) address to go to. */
export interface MailLink {
  readonly label: string;
  readonly link: string;
}

/** A part of a mail, written once: `renderText` and `renderHtml` both show it. Texts are one line each. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly MailFact[] }
  /** Texts, one on each line. */
  | { readonly kind: 'lines'; readonly texts: readonly string[] }
  | ({ readonly kind: 'button' } & MailLink)
  /** Links in smaller type. */
  | { readonly kind: 'links'; readonly links: readonly MailLink[] }
  /** Something to copy letter by letter. */
  | { readonly kind: 'code'; readonly label: string; readonly code: string }
  /** Additional information, in smaller type. */
  | { readonly kind: 'note'; readonly text: string };

/** Contents of a mail in one language. */
export interface MailContent {
  readonly subject: string;
  /** First line of the text, and heading of the page, that states the event without the subject; absent if the blocks do. */
  readonly headline?: string;
  /** Absent: neutral. */
  readonly tone?: Tone;
  readonly blocks: readonly Block[];
}

/** A mail in every language we speak, for data of one shape, and a time zone (IANA name). */
export type MailTemplate<D> = Readonly<Record<Locale, (data: D, timezone: string) => MailContent>> & {
  /** Data that tests render it with. */
  readonly example: D;
};

/** Mail templates by name. */
// biome-ignore lint/suspicious/noExplicitAny: templates are contravariant in their data
export type MailTemplates = Readonly<Record<string, MailTemplate<any>>>;

/** Mail templates of every module. Each module adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules merge their members into it
export interface MailsOfModules {}

type AnyMails = MailsOfModules[keyof MailsOfModules];
type NamesOf<M> = M extends unknown ? keyof M & string : never;

/** Name of a mail, in the queue and in file names; it is stored. */
export type MailTemplateName = NamesOf<AnyMails>;

/** Data that a template needs. */
export type MailData<N extends MailTemplateName> =
  Extract<AnyMails, Readonly<Record<N, unknown>>>[N] extends MailTemplate<infer D> ? D : never;

export function paragraph(text: string): Block {
  return { kind: 'paragraph', text };
}

/** A block of facts, each with its name. */
export function facts(list: readonly MailFact[]): Block {
  return { kind: 'facts', facts: list };
}

/** A block of texts, one on each line. */
export function lines(texts: readonly string[]): Block {
  return { kind: 'lines', texts };
}

/** A block that leads somewhere. */
export function button(label: string, link: string): Block {
  return { kind: 'button', label, link };
}

/** A block of small links. */
export function links(list: readonly MailLink[]): Block {
  return { kind: 'links', links: list };
}

/** A block to copy from. */
export function code(label: string, value: string): Block {
  return { kind: 'code', label, code: value };
}

/** A block of small text. */
export function note(text: string): Block {
  return { kind: 'note', text };
}

/** `24 hours`, `24小时`, `24 小時`. */
export function duration(count: number, unit: 'minute' | 'hour', locale: Locale): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

/** An instant (ISO 8601) in words, by the clocks of its reader. `timezone`: IANA name. */
export function instant(at: string, locale: Locale, timezone: string): string {
  return instantText(Date.parse(at), { locale, timezone });
}
