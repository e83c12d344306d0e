import type { Locale } from '../../../http/locale.js';
import { lookupTitles, type PageKind } from '../kinds/titles.js';

/** Texts of the pages of lookups; names of fields are those of the API in every language. */
export interface LookupPageTexts {
  readonly kinds: Readonly<Record<PageKind, string>>;
  readonly nothing: string;
  readonly justAsked: string;
  readonly kept: (seconds: number) => string;
  readonly stale: string;
  readonly ask: string;
  readonly askAgain: string;
  readonly failed: string;
}

export const lookupPageTexts: Readonly<Record<Locale, LookupPageTexts>> = {
  en: {
    kinds: lookupTitles.en,
    nothing: 'There is no answer in memory.',
    justAsked: 'Asked just now.',
    kept: (seconds) => `From memory, ${seconds} s old.`,
    stale: 'A newer answer cannot be had at the moment.',
    ask: 'Ask now',
    askAgain: 'Ask again',
    failed: 'No answer',
  },
  'zh-CN': {
    kinds: lookupTitles['zh-CN'],
    nothing: '缓存中没有结果。',
    justAsked: '刚刚查询。',
    kept: (seconds) => `来自缓存，${seconds} 秒前查询。`,
    stale: '目前无法取得更新的结果。',
    ask: '立即查询',
    askAgain: '重新查询',
    failed: '没有结果',
  },
  'zh-TW': {
    kinds: lookupTitles['zh-TW'],
    nothing: '快取中沒有結果。',
    justAsked: '剛剛查詢。',
    kept: (seconds) => `來自快取，${seconds} 秒前查詢。`,
    stale: '目前無法取得更新的結果。',
    ask: '立即查詢',
    askAgain: '重新查詢',
    failed: '沒有結果',
  },
};
