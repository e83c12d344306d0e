import { defineTexts } from '../../texts/locale.js';

/** Texts of the views of lookups. */
export const lookupTexts = defineTexts({
  en: {
    title: 'Lookups',
    target: 'Domain, address or URL',
    look: 'Look up',
    why: 'Enter a domain, an address or a URL: its registration, DNS records, certificate, response headers, place and reputation are looked up.',
    waiting: 'Waiting for the answer…',
    page: 'Page to share',
    diagnose: 'Diagnose',
    kinds: {
      ip: 'Address',
      whois: 'Registration',
      ssl: 'Certificate and TLS',
      dns: 'DNS records',
      icp: 'ICP filing',
      headers: 'Response headers',
      reputation: 'Reputation',
    },
  },
  'zh-CN': {
    title: '查询',
    target: '域名、地址或 URL',
    look: '查询',
    why: '输入域名、地址或 URL，即可查询其注册信息、DNS 记录、证书、响应头、位置和信誉。',
    waiting: '正在查询…',
    page: '可分享的页面',
    diagnose: '诊断',
    kinds: {
      ip: 'IP 地址',
      whois: '注册信息',
      ssl: '证书与 TLS',
      dns: 'DNS 记录',
      icp: 'ICP 备案',
      headers: '响应头',
      reputation: '信誉',
    },
  },
  'zh-TW': {
    title: '查詢',
    target: '網域、位址或 URL',
    look: '查詢',
    why: '輸入網域、位址或 URL，即可查詢其註冊資訊、DNS 記錄、憑證、回應標頭、位置和信譽。',
    waiting: '查詢中…',
    page: '可分享的頁面',
    diagnose: '診斷',
    kinds: {
      ip: 'IP 位址',
      whois: '註冊資訊',
      ssl: '憑證與 TLS',
      dns: 'DNS 記錄',
      icp: 'ICP 備案',
      headers: '回應標頭',
      reputation: '信譽',
    },
  },
});
