import { createHash } from 'node:crypto';
import { isLocale, type Locale, localeNames, locales } from '../locale.js';
import type { RawReply } from '../route.js';
import { type Html, html } from './html.js';
import { chromeStyle, textStyle } from './page-style.js';

export interface Page {
  /** Default 200. */
  readonly status?: number;
  readonly title: string;
  /** Language of the text; default `en`. */
  readonly locale?: Locale;
  /** True if the page exists in every language: its header links to `?lang=…`. */
  readonly isTranslated?: true;
  readonly content: Html;
  /** Script of the page, which never contains input of a caller and may fetch from this origin only. */
  readonly script?: string;
}

/**
 * Page in the common layout: readable on a phone, light or dark as the reader prefers, nothing loaded from elsewhere.
 * The content policy allows this style sheet and this script by their hashes, so style attributes have no effect.
 */
export function renderPage(page: Page): RawReply {
  const { status = 200, title, locale = 'en', content, script } = page;
  const scriptElement = script === undefined ? '' : `<script>${script}</script>`;
  const body = `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${pageTitle(title).markup}
${pageIcon}
<style>${styleSheet}</style>
</head>
<body>
${pageHeader(locale, page.isTranslated ?? false).markup}
<main>
${content.markup}
</main>
${scriptElement}
</body>
</html>
`;
  return {
    status,
    raw: { contentType: 'text/html; charset=utf-8', body },
    headers: { 'Content-Security-Policy': policyFor(script), 'Content-Language': locale },
  };
}

export function pageTitle(title: string): Html {
  return html`<title>${title} · Vantage</title>`;
}

/** Icon of every page: a browser that finds none requests one that does not exist. */
export const pageIcon = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/>' +
    '<path d="M3.5 4.5 8 12l4.5-7.5" fill="none" stroke="#fff" stroke-width="2"/></svg>',
)}">`;

const links: Readonly<
  Record<Locale, { readonly guide: string; readonly reference: string; readonly language: string }>
> = {
  en: { guide: 'Getting started', reference: 'API reference', language: 'Language' },
  'zh-CN': { guide: '快速入门', reference: 'API 参考', language: '语言' },
  'zh-TW': { guide: '快速入門', reference: 'API 參考', language: '語言' },
};

const currentPage = html` aria-current="true"`;

/** Header of every page, the interactive reference included. */
export function pageHeader(locale: Locale, isTranslated: boolean): Html {
  const { guide, reference, language } = links[locale];
  const choices = html`
<nav class="languages" aria-label="${language}">${locales.map(
    (other) =>
      html`<a href="${`?lang=${other}`}" lang="${other}" hreflang="${other}"${other === locale ? currentPage : ''}>${localeNames[other]}</a>`,
  )}</nav>`;
  return html`<header class="site"><a class="brand" href="/">Vantage</a><nav aria-label="Vantage"><a href="/docs/guide">${guide}</a><a href="/docs">${reference}</a></nav>${isTranslated && choices}</header>`;
}

/**
 * Language of `?lang=` if given, otherwise the negotiated one. Unknown languages are not refused, because it is a page.
 */
export function pageLocale(request: { readonly query: { readonly lang?: string }; readonly locale: Locale }): Locale {
  const { lang } = request.query;
  return lang !== undefined && isLocale(lang) ? lang : request.locale;
}

function policyFor(script: string | undefined): string {
  const scripts = script === undefined ? '' : `script-src ${hashOf(script)}; connect-src 'self'; `;
  return (
    `default-src 'none'; style-src ${styleHash}; img-src 'self' data:; ${scripts}` +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  );
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const styleSheet = chromeStyle + textStyle;
const styleHash = hashOf(styleSheet);
