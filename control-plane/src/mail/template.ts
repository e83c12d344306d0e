import type { Locale } from '../http/locale.js';

/** A part of a mail, written once: `renderText` and `renderHtml` both show it. Texts are one line each. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  /** Facts, one on each line. */
  | { readonly kind: 'lines'; readonly texts: readonly string[] }
  /** An http(s) address to go to. */
  | { readonly kind: 'button'; readonly label: string; readonly link: string }
  /** Something to copy letter by letter. */
  | { readonly kind: 'code'; readonly label: string; readonly code: string }
  /** Additional information, in smaller type. */
  | { readonly kind: 'note'; readonly text: string };

/** Contents of a mail in one language. */
export interface MailContent {
  readonly subject: string;
  /** First line of the text, and heading of the page, that states the event without the subject; absent if the blocks do. */
  readonly headline?: string;
  readonly blocks: readonly Block[];
}

/** A mail in every language we speak, for data of one shape. */
export type MailTemplate<D> = Readonly<Record<Locale, (data: D) => MailContent>> & {
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

/** A block of facts, one on each line. */
export function lines(texts: readonly string[]): Block {
  return { kind: 'lines', texts };
}

/** A block that leads somewhere. */
export function button(label: string, link: string): Block {
  return { kind: 'button', label, link };
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

/** An instant (ISO 8601) as people write it, in UTC: we don't know where they read it. */
export function instant(at: string, locale: Locale): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(new Date(at))} UTC`;
}
