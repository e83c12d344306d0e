import { STATUS_CODES } from 'node:http';
import { Type } from 'typebox';
import { type ErrorCode, errorTable } from '../error-table.js';
import { ApiError } from '../errors.js';
import { declaredErrors, returnedCodes } from '../frame/declared-errors.js';
import { type Locale, localeNames, locales } from '../locale.js';
import { type Html, html } from '../pages/html.js';
import { renderPage } from '../pages/page.js';
import { type AnyRoute, defineRoute } from '../route.js';
import { errorPageText } from './error-page-text.js';
import { referenceLink } from './reference-link.js';

/**
 * `/docs/errors`, the codes that `routes` return, by status; and `/docs/errors/{code}`, the doc_url of every error: its meaning, its
 * remedy, and which operations return it.
 */
export function errorPageRoutes(routes: readonly AnyRoute[]): AnyRoute[] {
  const documented = routes.filter(({ isDocumented }) => isDocumented !== false);
  const codes = returnedCodes(routes);
  const common = {
    method: 'GET',
    tag: 'Reference',
    auth: { kind: 'none' },
    replies: { 200: Type.String() },
    replyKind: 'html',
    isDocumented: false,
  } as const;
  return [
    defineRoute({
      ...common,
      operationId: 'getErrorIndex',
      path: '/docs/errors',
      summary: 'Every error code',
      errors: [],
      handle: async (request) => {
        const { locale } = request;
        return renderPage(request, { title: errorPageText[locale].title, content: indexOf(codes, locale) });
      },
    }),
    defineRoute({
      ...common,
      operationId: 'getErrorPage',
      path: '/docs/errors/{code}',
      summary: 'What an error code means',
      params: Type.Object({ code: Type.String({ maxLength: 64 }) }),
      errors: ['NOT_FOUND'],
      handle: async (request) => {
        const code = codes.find((one) => one === request.params.code);
        if (code === undefined) throw new ApiError('NOT_FOUND');
        const content = contentOf(code, request.locale, documented);
        return renderPage(request, { title: code, description: errorTable[code].messages[request.locale], content });
      },
    }),
  ];
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

function indexOf(codes: readonly ErrorCode[], locale: Locale): Html {
  const text = errorPageText[locale];
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
  const answering = documented.filter((route) => [...declaredErrors(route).values()].some((codes) => codes.has(code)));
  if (answering.length === documented.length)
    return html`<p>${errorPageText[locale].everyOperation} <a href="/docs">/docs</a></p>`;
  return html`<ul class="contents">${answering.map(
    (route) =>
      html`<li><a href="${referenceLink(route)}"><code>${route.method} ${route.path}</code></a><br><span lang="en">${route.summary}</span></li>`,
  )}</ul>`;
}
