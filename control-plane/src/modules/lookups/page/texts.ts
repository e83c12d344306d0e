import type { Locale } from '../../../http/locale.js';
import type { LookupKind } from '../kinds/registry.js';

/** Kinds that have pages: every lookup, and the reputation of addresses. */
export type PageKind = LookupKind | 'reputation';

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
    kinds: {
      ip: 'Address',
      whois: 'Registration',
      ssl: 'Certificate and TLS',
      dns: 'DNS records',
      icp: 'ICP filing',
      headers: 'Response headers',
      reputation: 'Reputation',
    },
    nothing: 'There is no answer in memory.',
    justAsked: 'Asked just now.',
    kept: (seconds) => `From memory, ${seconds} s old.`,
    stale: 'A newer answer cannot be had at the moment.',
    ask: 'Ask now',
    askAgain: 'Ask again',
    failed: 'No answer',
  },
  'zh-CN': {
    kinds: {
      ip: 'IP 地址',
      whois: '注册信息',
      ssl: '证书与 TLS',
      dns: 'DNS 记录',
      icp: 'ICP 备案',
      headers: '响应头',
      reputation: '信誉',
    },
    nothing: '缓存中没有结果。',
    justAsked: '刚刚查询。',
    kept: (seconds) => `来自缓存，${seconds} 秒前查询。`,
    stale: '目前无法取得更新的结果。',
    ask: '立即查询',
    askAgain: '重新查询',
    failed: '没有结果',
  },
  'zh-TW': {
    kinds: {
      ip: 'IP 位址',
      whois: '註冊資訊',
      ssl: '憑證與 TLS',
      dns: 'DNS 記錄',
      icp: 'ICP 備案',
      headers: '回應標頭',
      reputation: '信譽',
    },
    nothing: '快取中沒有結果。',
    justAsked: '剛剛查詢。',
    kept: (seconds) => `來自快取，${seconds} 秒前查詢。`,
    stale: '目前無法取得更新的結果。',
    ask: '立即查詢',
    askAgain: '重新查詢',
    failed: '沒有結果',
  },
};
