import Negotiator from 'negotiator';
import { acceptHeader } from './accept-header.js';

/** The languages messages exist in; `zh-CN` and `zh-TW` are the profile locales `cn` and `tw` (API specification 2.6). */
export const locales = ['en', 'zh-CN', 'zh-TW'] as const;
export type Locale = (typeof locales)[number];

/** Name of each language in that language. */
export const localeNames: Readonly<Record<Locale, string>> = {
  en: 'English',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

/** True if a string is exactly the name of a supported language. */
export function isLocale(name: string): name is Locale {
  return (locales as readonly string[]).includes(name);
}

/** Language that `?lang=` of an address names; null if it names none that exists. Others are not refused, because it is a page. */
export function chosenLocale(url: string): Locale | null {
  const at = url.indexOf('?');
  const lang = at < 0 ? null : new URLSearchParams(url.slice(at + 1)).get('lang');
  return lang !== null && isLocale(lang) ? lang : null;
}

/** Address with a language in it: the rest of its query and its fragment stay. */
export function withLocale(address: string, locale: Locale): string {
  const [, path = '', search = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(address) ?? [];
  const query = new URLSearchParams(search);
  query.set('lang', locale);
  return `${path}?${query}${fragment}`;
}

/**
 * Language of the response, from an Accept-Language header (RFC 9110 section 12.5.4): the supported one with the
 * highest quality, the earlier of equals; `en` if there is none.
 */
export function negotiateLocale(acceptLanguage: string | undefined): Locale {
  const ranges = new Negotiator({ headers: { 'accept-language': acceptHeader(acceptLanguage) ?? '' } }).languages();
  for (const range of ranges) {
    const locale = localeOf(range.toLowerCase());
    if (locale !== null) return locale;
  }
  return 'en';
}

/** Supported language for a lower-case language tag (RFC 5646); the script decides before the region. */
function localeOf(tag: string): Locale | null {
  const [language, ...subtags] = tag.split('-');
  if (language === 'en' || language === '*') return 'en';
  if (language !== 'zh') return null;
  if (subtags.includes('hans')) return 'zh-CN';
  const isTraditional = subtags.some((subtag) => ['hant', 'tw', 'hk', 'mo'].includes(subtag));
  return isTraditional ? 'zh-TW' : 'zh-CN';
}
