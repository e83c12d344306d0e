import type { Locale } from '../locale.js';

/** Texts of the page of an error, for people who opened an address. */
interface RefusalTexts {
  readonly notFound: string;
  readonly home: string;
  readonly code: string;
  readonly requestId: string;
  readonly tryLater: string;
  /** Advice by status. */
  readonly advice: Readonly<Record<number, string>>;
}

export const refusalTexts: Readonly<Record<Locale, RefusalTexts>> = {
  en: {
    notFound: 'There is no page at this address',
    home: 'To the start page',
    code: 'Error code',
    requestId: 'request',
    tryLater:
      'This is an error of the service, not yours. Try again later, and quote the request below when you report it.',
    advice: {
      401: 'This address is for programs, which send credentials with each request.',
      403: 'The request came from another site, or needs rights that it does not have.',
      404: 'It was mistyped, or its content has expired: results of probes are kept for 7 days.',
      405: 'This address is for programs: a browser cannot open it.',
      429: 'Too many requests came from your network. Wait a moment, then reload the page.',
    },
  },
  'zh-CN': {
    notFound: '此地址没有页面',
    home: '返回首页',
    code: '错误码',
    requestId: '请求',
    tryLater: '这是服务的错误，与您无关。请稍后重试；反馈时请提供下面的请求编号。',
    advice: {
      401: '此地址供程序使用，程序在每个请求中发送凭据。',
      403: '请求来自其他网站，或缺少所需的权限。',
      404: '地址有误，或内容已过期：探测结果保留 7 天。',
      405: '此地址供程序使用，浏览器无法打开。',
      429: '来自您网络的请求过多。请稍候，然后重新加载页面。',
    },
  },
  'zh-TW': {
    notFound: '此位址沒有頁面',
    home: '返回首頁',
    code: '錯誤碼',
    requestId: '要求',
    tryLater: '這是服務的錯誤，與您無關。請稍後重試；回報時請提供下方的要求編號。',
    advice: {
      401: '此位址供程式使用，程式在每個要求中傳送憑證。',
      403: '要求來自其他網站，或缺少所需的權限。',
      404: '位址有誤，或內容已過期：探測結果保留 7 天。',
      405: '此位址供程式使用，瀏覽器無法開啟。',
      429: '來自您網路的要求過多。請稍候，然後重新載入頁面。',
    },
  },
};
