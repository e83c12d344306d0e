import { type Locale, localeNames, locales, withLocale } from '../locale.js';
import { type Html, html } from './html.js';

interface FrameTexts {
  readonly nodes: string;
  readonly guide: string;
  readonly reference: string;
  readonly console: string;
  readonly account: string;
  readonly language: string;
  readonly start: string;
  readonly errors: string;
  readonly traffic: string;
}

const texts: Readonly<Record<Locale, FrameTexts>> = {
  en: {
    nodes: 'Nodes',
    guide: 'Getting started',
    reference: 'API reference',
    console: 'Console',
    account: 'Account',
    language: 'Language',
    start: 'Run a probe',
    errors: 'Error codes',
    traffic: 'About our traffic',
  },
  'zh-CN': {
    nodes: '节点',
    guide: '快速入门',
    reference: 'API 参考',
    console: '控制台',
    account: '账户',
    language: '语言',
    start: '运行探测',
    errors: '错误码',
    traffic: '关于我们的流量',
  },
  'zh-TW': {
    nodes: '節點',
    guide: '快速入門',
    reference: 'API 參考',
    console: '主控台',
    account: '帳戶',
    language: '語言',
    start: '執行探測',
    errors: '錯誤碼',
    traffic: '關於我們的流量',
  },
};

const currentPage = html` aria-current="true"`;

/** Header of every page. Its switch of the language keeps the address, query included. */
export function pageHeader({ locale, url }: { readonly locale: Locale; readonly url: string }): Html {
  const text = texts[locale];
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return html`<header class="site"><div>
<a class="brand" href="/"><svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true"><rect width="16" height="16" rx="3" fill="#0b5cad"/><path d="M3.5 4.5 8 12l4.5-7.5" fill="none" stroke="#fff" stroke-width="2"/></svg>Vantage</a>
<nav aria-label="Vantage"><a href="/console">${text.console}</a><a href="/nodes">${text.nodes}</a><a href="/docs/guide">${text.guide}</a><a href="/docs">${text.reference}</a><a href="/account/security">${text.account}</a></nav>
<nav class="languages" aria-label="${text.language}">${locales.map(
    (other) =>
      html`<a href="${withLocale(query, other)}" lang="${other}" hreflang="${other}"${other === locale ? currentPage : ''}>${localeNames[other]}</a>`,
  )}</nav>
</div></header>`;
}

/** End of every page. */
export function pageFooter(locale: Locale): Html {
  const text = texts[locale];
  return html`<footer class="site"><div><a href="/">${text.start}</a><a href="/docs/errors">${text.errors}</a><a href="/abuse">${text.traffic}</a></div></footer>`;
}
