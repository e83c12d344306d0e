import type { Locale } from '../http/locale.js';
import { type MailData, type MailTemplateName, mailTemplates } from './templates/index.js';
import type { MailContent, MailTemplate } from './templates/template.js';

/** A mail to one person: a template, and what it wants to know. */
export type Letter<N extends MailTemplateName = MailTemplateName> = {
  readonly [T in N]: {
    /** An e-mail address. */
    readonly to: string;
    readonly locale: Locale;
    readonly template: T;
    readonly data: MailData<T>;
  };
}[N];

/** What a letter says. */
export function write<N extends MailTemplateName>({ template, locale, data }: Letter<N>): MailContent {
  const templates: { readonly [T in MailTemplateName]: MailTemplate<MailData<T>> } = mailTemplates;
  return templates[template][locale](data);
}
