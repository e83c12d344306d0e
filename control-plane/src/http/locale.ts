import { qualityOf } from './quality.js';

/** The languages messages exist in; `zh-CN` and `zh-TW` are the profile locales `cn` and `tw` (API specification 2.6). */
export const locales = ['en', 'zh-CN', 'zh-TW'] as const;
export type Locale = (typeof locales)[number];

/** What each language is called in itself. */
export const localeNames: Readonly<Record<Locale, string>> = {
  en: 'English',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

/** Whether a string names one of the languages, exactly. */
export function isLocale(name: string): name is Locale {
  return (locales as readonly string[]).includes(name);
}

/** More entries than any browser sends; what follows is not looked at. */
const MAX_RANGES = 32;

/**
 * The language to answer in, from an Accept-Language header (RFC 9110 section 12.5.4): the acceptable range with the
 * highest quality that we speak, the earlier of equals; `en` when there is none.
 */
export function negotiateLocale(acceptLanguage: string | undefined): Locale {
  if (acceptLanguage === undefined || acceptLanguage === '') return 'en';
  let best: Locale = 'en';
  let bestQuality = 0;
  for (const range of acceptLanguage.split(',', MAX_RANGES)) {
    const [tag = '', ...parameters] = range.split(';');
    const locale = localeOf(tag.trim().toLowerCase());
    const quality = qualityOf(parameters);
    if (locale !== null && quality > bestQuality) {
      best = locale;
      bestQuality = quality;
    }
  }
  return best;
}

/** A lower-case language tag (RFC 5646) to the language we have for it; the script decides before the region. */
function localeOf(tag: string): Locale | null {
  const [language, ...subtags] = tag.split('-');
  if (language === 'en' || language === '*') return 'en';
  if (language !== 'zh') return null;
  if (subtags.includes('hans')) return 'zh-CN';
  const isTraditional = subtags.some((subtag) => ['hant', 'tw', 'hk', 'mo'].includes(subtag));
  return isTraditional ? 'zh-TW' : 'zh-CN';
}
