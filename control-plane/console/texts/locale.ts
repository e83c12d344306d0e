import { computed, signal } from '@preact/signals';

/** Languages of the console. */
export const locales = ['en', 'zh-CN', 'zh-TW'] as const;
export type Locale = (typeof locales)[number];

/** Name of each language in that language. */
export const localeNames: Readonly<Record<Locale, string>> = {
  en: 'English',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

/** Language of each locale of a profile. */
const ofProfiles = { en: 'en', cn: 'zh-CN', tw: 'zh-TW' } as const;

/** Language that the address of the page names, kept for the tab. */
const asked = signal(localeIn(new URLSearchParams(location.search).get('lang')));
/** Language of the profile of the person. */
const ofProfile = signal<Locale | null>(null);

/** Language of the page: that of the profile, of its address, or the first of the browser that exists here. */
export const locale = computed<Locale>(() => ofProfile.value ?? asked.value ?? ofBrowser());

/** Shows the page in a language, for a person without a profile. */
export function chooseLocale(chosen: Locale): void {
  asked.value = chosen;
}

/** Takes over the language of a profile. */
export function followProfile(name: keyof typeof ofProfiles): void {
  ofProfile.value = ofProfiles[name];
}

/** Locale of a profile in the language of the page. */
export function profileLocale(chosen: Locale): keyof typeof ofProfiles {
  return chosen === 'en' ? 'en' : chosen === 'zh-CN' ? 'cn' : 'tw';
}

function localeIn(name: string | null): Locale | null {
  return locales.find((candidate) => candidate === name) ?? null;
}

function ofBrowser(): Locale {
  for (const tag of navigator.languages) {
    const [language, ...subtags] = tag.toLowerCase().split('-');
    if (language === 'en') return 'en';
    if (language !== 'zh') continue;
    if (subtags.includes('hans')) return 'zh-CN';
    return subtags.some((subtag) => ['hant', 'tw', 'hk', 'mo'].includes(subtag)) ? 'zh-TW' : 'zh-CN';
  }
  return 'en';
}

type Translations<T> = { readonly en: T } & Readonly<Record<Exclude<Locale, 'en'>, NoInfer<T>>>;

/** Texts in the language of the page. One that is missing in a language does not compile. */
export function defineTexts<const T extends object>(
  translations: { readonly en: T } & Readonly<Record<Exclude<Locale, 'en'>, Widened<T>>>,
): () => Widened<T> {
  return () => (translations as unknown as Translations<Widened<T>>)[locale.value];
}

/** The shape of texts, whatever they say. */
type Widened<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => unknown
      ? (...args: A) => string
      : Widened<T[K]>;
};
