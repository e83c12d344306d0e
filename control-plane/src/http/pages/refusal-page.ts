import { textCell } from '@vantage/shared/probe-types/cells.js';
import Negotiator from 'negotiator';
import { type ApiError, messageOf } from '../errors.js';
import { messageIn } from '../field-messages/field-messages.js';
import type { Locale } from '../locale.js';
import type { RawReply } from '../route.js';
import { type Html, html } from './html.js';
import { type PageRequest, renderPage } from './page.js';
import { refusalTexts } from './refusal-texts.js';

/** True if an Accept header asks for a page before JSON, as browsers do for an address that a person opens. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('text/html')) return false;
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(['application/json', 'text/html']);
  return best === 'text/html';
}

/** An error of the API as a page: what is wrong, what to do, and the id to quote. */
export function refusalPage(request: PageRequest & { readonly requestId: string }, error: ApiError): RawReply {
  const { locale, requestId } = request;
  const texts = refusalTexts[locale];
  const { code, status, details = {} } = error;
  const message = messageOf(error, locale);
  const title = status === 404 ? texts.notFound : message;
  const advice = texts.advice[status] ?? (status >= 500 && !error.isNotConfigured ? texts.tryLater : null);
  const content = html`
<p class="muted">${status}</p>
<h1>${title}</h1>
${advice !== null && html`<p class="text">${advice}</p>`}
${detailList(details, locale)}
<p><a class="button" href="/">${texts.home}</a></p>
<p class="muted small">${texts.code} <a href="/docs/errors/${code}"><code>${code}</code></a> · ${texts.requestId} <code>${requestId}</code></p>`;
  return renderPage(request, { status, title, content });
}

function detailList(details: NonNullable<ApiError['details']>, locale: Locale): Html | '' {
  const entries = Object.entries(details);
  if (entries.length === 0) return '';
  return html`<dl>${entries.map(([field, found]) => {
    const messages = found.map(({ message }) => messageIn(message, locale));
    return html`<dt>${textCell(field)}</dt>${messages.map(
      (one) => html`<dd lang="${one.locale}">${textCell(one.text)}</dd>`,
    )}`;
  })}</dl>`;
}
