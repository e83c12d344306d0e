import type { Locale } from '../http/locale.js';
import type { MailContent, MailData, MailTemplateName, MailTemplates } from './template.js';

/** A mail to one person: a template and its data. */
export type Letter<N extends MailTemplateName = MailTemplateName> = {
  readonly [T in N]: {
    /** An e-mail address. */
    readonly to: string;
    readonly locale: Locale;
    /** IANA name; absent: UTC. */
    readonly timezone?: string;
    readonly template: T;
    readonly data: MailData<T>;
  };
}[N];

/** Content of a letter; null if no template has its name. */
export function write(
  { template, locale, timezone = 'UTC', data }: Letter,
  templates: MailTemplates,
): MailContent | null {
  return Object.hasOwn(templates, template) ? (templates[template]?.[locale](data, timezone) ?? null) : null;
}
