import { STATUS_CODES } from 'node:http';
import { Type } from 'typebox';
import { type ErrorCode, errorTable, isErrorCode } from '../error-table.js';
import { ApiError } from '../errors.js';
import { declaredErrors } from '../frame/declared-errors.js';
import { type Locale, localeNames, locales } from '../locale.js';
import { type Html, html } from '../pages/html.js';
import { renderPage } from '../pages/page.js';
import { type AnyRoute, defineRoute } from '../route.js';
import { errorPageText } from './error-page-text.js';

/** Page `/docs/errors/{code}`, the doc_url of every error: its meaning, its remedy, and which of `routes` return it. */
export function errorPageRoute(routes: readonly AnyRoute[]): AnyRoute {
  const documented = routes.filter(({ isDocumented }) => isDocumented !== false);
  return defineRoute({
    operationId: 'getErrorPage',
    method: 'GET',
    path: '/docs/errors/{code}',
    summary: 'What an error code means',
    tag: 'Reference',
    auth: { kind: 'none' },
    params: Type.Object({ code: Type.String({ maxLength: 64 }) }),
    replies: { 200: Type.String() },
    replyKind: 'html',
    errors: ['NOT_FOUND'],
    isDocumented: false,
    handle: async (request) => {
      const { code } = request.params;
      if (!isErrorCode(code)) throw new ApiError('NOT_FOUND');
      const content = contentOf(code, request.locale, documented);
      return renderPage(request, { title: code, description: errorTable[code].messages[request.locale], content });
    },
  });
}

/** Page `/docs/errors`: every error code, by status. */
export const errorIndexRoute = defineRoute({
  operationId: 'getErrorIndex',
  method: 'GET',
  path: '/docs/errors',
  summary: 'Every error code',
  tag: 'Reference',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  handle: async (request) => {
    const { locale } = request;
    return renderPage(request, { title: errorPageText[locale].title, content: indexOf(locale) });
  },
});

/** Address of an operation in the interactive reference. */
export function referenceLink({ tag, operationId }: AnyRoute): string {
  return `/docs#/${encodeURIComponent(tag)}/${operationId}`;
}

function contentOf(code: ErrorCode, locale: Locale, documented: readonly AnyRoute[]): Html {
  const { statuses, messages } = errorTable[code];
  const text = errorPageText[locale];
  return html`<h1><code>${code}</code></h1>
<p class="lead">${messages[locale]}</p>
<dl>
<dt>${text.status}</dt><dd>${statuses.map((status) => html`<div>${status} <span lang="en">${STATUS_CODES[status]}</span></div>`)}</dd>
<dt>${text.code}</dt><dd><code>{"error": {"code": "${code}", …}}</code></dd>
</dl>
<h2>${text.toDo}</h2>
${statuses.map((status) => html`<p class="text">${statuses.length > 1 && html`<b>${status}</b> `}${text.advice[status]}</p>`)}
<h2>${text.messages}</h2>
<dl>${locales.map((other) => html`<dt lang="${other}">${localeNames[other]}</dt><dd lang="${other}">${messages[other]}</dd>`)}</dl>
<h2>${text.operations}</h2>
${operationsOf(code, locale, documented)}
<p><a href="/docs/errors">${text.title}</a> · <a href="/docs/guide">${text.guide}</a></p>`;
}

function indexOf(locale: Locale): Html {
  const text = errorPageText[locale];
  const codes = Object.keys(errorTable).filter(isErrorCode);
  const statuses = [...new Set(codes.flatMap((code) => errorTable[code].statuses))].sort((a, b) => a - b);
  return html`<h1>${text.title}</h1>
${statuses.map((status) => {
  const answered = codes.filter((code) => errorTable[code].statuses.includes(status));
  return html`<h2>${status} <span lang="en">${STATUS_CODES[status]}</span></h2>
<p class="text">${text.advice[status]}</p>
<ul class="contents">${answered.map((code) => html`<li><a href="/docs/errors/${code}"><code>${code}</code></a><br>${errorTable[code].messages[locale]}</li>`)}</ul>`;
})}
<p><a href="/docs/guide">${text.guide}</a></p>`;
}

function operationsOf(code: ErrorCode, locale: Locale, documented: readonly AnyRoute[]): Html {
  const { everyOperation, noOperation } = errorPageText[locale];
  const answering = documented.filter((route) => [...declaredErrors(route).values()].some((codes) => codes.has(code)));
  if (answering.length === 0) return html`<p>${noOperation}</p>`;
  if (answering.length === documented.length) return html`<p>${everyOperation} <a href="/docs">/docs</a></p>`;
  return html`<ul class="contents">${answering.map(
    (route) =>
      html`<li><a href="${referenceLink(route)}"><code>${route.method} ${route.path}</code></a><br><span lang="en">${route.summary}</span></li>`,
  )}</ul>`;
}
