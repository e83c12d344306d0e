import { createHash } from 'node:crypto';
import type { ApiError } from '../errors.js';
import { chosenLocale, withLocale } from '../locale.js';
import type { RawReply, RouteRequest } from '../route.js';
import { Html, html, unescapeHtml } from './html.js';
import { pageFooter, pageHeader } from './page-frame.js';
import { chromeStyle, textStyle } from './page-style.js';

/** Request for a page: its address, and the language that it is in. */
export type PageRequest = Pick<RouteRequest<unknown, unknown, unknown>, 'url' | 'locale'>;

export interface Page {
  /** Default: that of the error, or 200. */
  readonly status?: number;
  /** Refusal that the page shows; it adds Retry-After if it has one. */
  readonly error?: ApiError | null;
  readonly title: string;
  /** One sentence for lists of results and for previews of links. */
  readonly description?: string;
  /** Address of a picture for previews of links, with its scheme. */
  readonly image?: string;
  readonly content: Html;
  /** Script of the page, which never contains input of a caller and may fetch from this origin only. */
  readonly script?: string;
}

/**
 * Page in the common frame: readable on a phone, light or dark as the reader prefers, nothing loaded from elsewhere. The
 * language that its address names stays in its links. The content policy allows this style sheet and this script by their
 * hashes, so style attributes have no effect.
 */
export function renderPage(request: PageRequest, page: Page): RawReply {
  const { error = null, status = error?.status ?? 200, content, script } = page;
  const retryAfter = error?.retryAfterSeconds;
  const { locale } = request;
  const scriptElement = script === undefined ? '' : `<script>${script}</script>`;
  const shown = html`${pageHeader(request)}
<main>
${content}
</main>
${pageFooter(locale)}`;
  const body = `<!doctype html>
<html lang="${locale}">
<head>
${pageHead(page).markup}
<style>${styleSheet}</style>
</head>
<body>
${keepLanguage(shown, request).markup}
${scriptElement}
</body>
</html>
`;
  return {
    status,
    raw: { contentType: 'text/html; charset=utf-8', body },
    headers: {
      'Content-Security-Policy': policyFor(script),
      'Content-Language': locale,
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    },
  };
}

/** Elements of the head that every page has: its title, its icon, and what previews of links show. */
export function pageHead({ title, description, image }: Pick<Page, 'title' | 'description' | 'image'>): Html {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Vantage</title>
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="Vantage">
${description !== undefined && html`<meta name="description" content="${description}"><meta property="og:description" content="${description}">`}
${image !== undefined && html`<meta property="og:image" content="${image}"><meta name="twitter:card" content="summary_large_image">`}
${pageIcon}`;
}

/** Icon of every page: a browser that finds none requests one that does not exist. */
const pageIcon = new Html(
  `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/>' +
      '<path d="M3.5 4.5 8 12l4.5-7.5" fill="none" stroke="#fff" stroke-width="2"/></svg>',
  )}">`,
);

/** Adds the language that the address of a page names to its links within this site; those of the API have none. */
export function keepLanguage({ markup }: Html, { url, locale }: PageRequest): Html {
  if (chosenLocale(url) === null) return new Html(markup);
  const links = / (href|action)="(\/(?!v1\/)[^"]*)"/g;
  return new Html(
    markup.replace(links, (_, name: string, escaped: string) => {
      const address = withLocale(unescapeHtml(escaped), locale);
      return (name === 'href' ? html` href="${address}"` : html` action="${address}"`).markup;
    }),
  );
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
