import type { Locale } from '../../../http/locale.js';
import type { LookupKind } from './registry.js';

/** Kinds that have pages: every lookup, and the reputation of addresses. */
export type PageKind = LookupKind | 'reputation';

/** Titles of the kinds. */
export const lookupTitles: Readonly<Record<Locale, Readonly<Record<PageKind, string>>>> = {
  en: {
    ip: 'Address',
    whois: 'Registration',
    ssl: 'Certificate and TLS',
    dns: 'DNS records',
    icp: 'ICP filing',
    headers: 'Response headers',
    reputation: 'Reputation',
  },
  'zh-CN': {
    ip: 'IP 地址',
    whois: '注册信息',
    ssl: '证书与 TLS',
    dns: 'DNS 记录',
    icp: 'ICP 备案',
    headers: '响应头',
    reputation: '信誉',
  },
  'zh-TW': {
    ip: 'IP 位址',
    whois: '註冊資訊',
    ssl: '憑證與 TLS',
    dns: 'DNS 記錄',
    icp: 'ICP 備案',
    headers: '回應標頭',
    reputation: '信譽',
  },
};
