import { textCell } from '@vantage/shared/probe-types/cells.js';
import { Type } from 'typebox';
import { errorTable } from '../../../http/error-table.js';
import { ApiError } from '../../../http/errors.js';
import type { Locale } from '../../../http/locale.js';
import { html } from '../../../http/pages/html.js';
import { pageLocale, renderPage } from '../../../http/pages/page.js';
import { type AnyRoute, defineRoute, type RawReply } from '../../../http/route.js';
import type { LookupReply } from '../index.js';
import { lookups as kinds } from '../kinds/registry.js';
import { answerHtml } from '../page/answer-html.js';
import { lookupPageTexts, type PageKind } from '../page/texts.js';

// A visit shows what is known; only the button asks: crawlers and previews of chats open links, and must cost nobody anything.

const common = {
  path: '/lookup/{kind}/{q}',
  tag: 'Pages',
  params: Type.Object({ kind: Type.String({ maxLength: 20 }), q: Type.String({ maxLength: 2_048 }) }),
  query: Type.Object({ lang: Type.Optional(Type.String({ maxLength: 16 })) }),
  // a refusal is a page, too
  replies: Object.fromEntries([200, 400, 403, 422, 429, 503].map((status) => [status, Type.String()])),
  replyKind: 'html',
  errors: ['NOT_FOUND'],
  isDocumented: false,
} as const;

/** `/lookup/{kind}/{q}`: the answer to a question as a page to share; it is asked only by the button. */
export const lookupPageRoutes: readonly AnyRoute[] = [
  defineRoute({
    ...common,
    operationId: 'getLookupPage',
    method: 'GET',
    summary: 'A known answer of a lookup as a page',
    auth: { kind: 'none' },
    limit: { name: 'lookup-pages', limit: 120, per: 'minute', from: 'address' },
    async handle(request, { lookups }) {
      const { q } = request.params;
      const [kind, locale] = [kindOf(request.params), pageLocale(request)];
      // no judgment of an address is kept, and each counts against the limits of its caller
      const find = kind === 'reputation' ? async () => null : () => lookups.known(kind, { q }, locale);
      return answered(kind, q, locale, find);
    },
  }),
  defineRoute({
    ...common,
    operationId: 'postLookupPage',
    method: 'POST',
    summary: 'Ask a lookup, and show its answer as a page',
    auth: { kind: 'public', scope: 'probe:read' },
    rawBody: { keepBytes: 0 },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'],
    async handle(request, { lookups }) {
      // a form of another site would spend the allowance of its visitors
      const site = request.header('sec-fetch-site');
      if (site !== null && site !== 'same-origin' && site !== 'none') throw new ApiError('FORBIDDEN');
      const { q } = request.params;
      const [kind, locale] = [kindOf(request.params), pageLocale(request)];
      const { account, address, signal } = request;
      const asking = { account, address, signal, locale, maxAgeMs: null };
      return answered(kind, q, locale, async () =>
        kind === 'reputation' ? { data: await lookups.reputation.check(q, asking) } : lookups.look(kind, { q }, asking),
      );
    },
  }),
];

function kindOf({ kind }: { readonly kind: string }): PageKind {
  if (kind !== 'reputation' && !Object.hasOwn(kinds, kind)) throw new ApiError('NOT_FOUND');
  return kind as PageKind;
}

/** Page of an answer, or of the reason why there is none. */
async function answered(
  kind: PageKind,
  q: string,
  locale: Locale,
  find: () => Promise<LookupReply | null>,
): Promise<RawReply> {
  try {
    return pageOf(kind, q, locale, await find());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusalOf(kind, q, locale, error);
  }
}

function pageOf(kind: PageKind, q: string, locale: Locale, reply: LookupReply | null): RawReply {
  const texts = lookupPageTexts[locale];
  const isAsked = kind === 'reputation' || kinds[kind].runs === 'on a node';
  const content = html`
${heading(kind, q, locale)}
${reply === null ? html`<p class="text">${texts.nothing}</p>` : answerHtml(reply.data)}
${reply !== null && isAsked ? html`<p class="muted">${ageText(reply, locale)}</p>` : ''}
${isAsked ? button(reply === null ? texts.ask : texts.askAgain) : ''}`;
  return unlisted(renderPage({ title: `${texts.kinds[kind]} · ${textCell(q)}`, locale, isTranslated: true, content }));
}

function refusalOf(kind: PageKind, q: string, locale: Locale, error: ApiError): RawReply {
  const texts = lookupPageTexts[locale];
  const reasons = Object.values(error.details ?? {}).flatMap((found) => found.map(({ message }) => message));
  const content = html`
${heading(kind, q, locale)}
<p class="text bad">${texts.failed}: ${errorTable[error.code].messages[locale]}</p>
${reasons.map((reason) => html`<p class="text">${textCell(reason)}</p>`)}
${error.status >= 500 || error.status === 429 ? button(texts.askAgain) : ''}`;
  const page = renderPage({ status: error.status, title: texts.failed, locale, isTranslated: true, content });
  const { retryAfterSeconds } = error;
  if (retryAfterSeconds === undefined) return unlisted(page);
  return unlisted({ ...page, headers: { ...page.headers, 'Retry-After': String(retryAfterSeconds) } });
}

function heading(kind: PageKind, q: string, locale: Locale) {
  return html`<h1>${lookupPageTexts[locale].kinds[kind]} · ${textCell(q)}</h1>`;
}

function button(text: string) {
  return html`<form method="post" class="unprinted"><p><button>${text}</button></p></form>`;
}

function ageText({ cache }: LookupReply, locale: Locale): string {
  const texts = lookupPageTexts[locale];
  if (cache === undefined || !cache.hit) return texts.justAsked;
  return [texts.kept(cache.age_sec), ...(cache.stale === true ? [texts.stale] : [])].join(' ');
}

/** Pages about what somebody looked up belong into no index. */
function unlisted(reply: RawReply): RawReply {
  return { ...reply, headers: { ...reply.headers, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } };
}
