import type { Locale } from '../../../http/locale.js';
import { lookupTitles, type PageKind } from '../kinds/titles.js';

/** Texts of the pages of lookups around an answer. */
export interface LookupPageTexts {
  readonly kinds: Readonly<Record<PageKind, string>>;
  readonly nothing: string;
  readonly justAsked: string;
  /** `age`: a duration in this language. */
  readonly kept: (age: string) => string;
  readonly stale: string;
  readonly ask: string;
  readonly askAgain: string;
  readonly failed: string;
  /** Title of the answer as the API returns it. */
  readonly json: string;
}

export const lookupPageTexts: Readonly<Record<Locale, LookupPageTexts>> = {
  en: {
    kinds: lookupTitles.en,
    nothing: 'This has not been asked lately, so there is no answer to show.',
    justAsked: 'Asked just now.',
    kept: (age) => `Asked ${age} ago.`,
    stale: 'A newer answer cannot be had at the moment.',
    ask: 'Ask now',
    askAgain: 'Ask again',
    failed: 'No answer',
    json: 'The answer as the API returns it (JSON)',
  },
  'zh-CN': {
    kinds: lookupTitles['zh-CN'],
    nothing: '近期没有查询过，因此没有可显示的结果。',
    justAsked: '刚刚查询。',
    kept: (age) => `${age}前查询。`,
    stale: '目前无法取得更新的结果。',
    ask: '立即查询',
    askAgain: '重新查询',
    failed: '没有结果',
    json: 'API 返回的结果（JSON）',
  },
  'zh-TW': {
    kinds: lookupTitles['zh-TW'],
    nothing: '近期沒有查詢過，因此沒有可顯示的結果。',
    justAsked: '剛剛查詢。',
    kept: (age) => `${age}前查詢。`,
    stale: '目前無法取得更新的結果。',
    ask: '立即查詢',
    askAgain: '重新查詢',
    failed: '沒有結果',
    json: 'API 傳回的結果（JSON）',
  },
};
