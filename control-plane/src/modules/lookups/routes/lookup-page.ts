import { textCell } from '@vantage/shared/probe-types/cells.js';
import { Type } from 'typebox';
import { ApiError, messageOf } from '../../../http/errors.js';
import { messageIn } from '../../../http/field-messages/field-messages.js';
import type { Locale } from '../../../http/locale.js';
import { html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import { refuseOtherSites } from '../../../http/pages/same-site.js';
import { type AnyRoute, defineRoute, type RawReply } from '../../../http/route.js';
import type { LookupReply } from '../index.js';
import { lookups as kinds } from '../kinds/registry.js';
import type { PageKind } from '../kinds/titles.js';
import { answerHtml } from '../page/answer-html.js';
import { lookupPageTexts } from '../page/texts.js';
import { type Words, wordsOf } from '../page/words.js';

// A visit shows what is known; only the button asks: crawlers and previews of chats open links, and must cost no one anything.

const common = {
  path: '/lookup/{kind}/{q}',
  tag: 'Pages',
  params: Type.Object({ kind: Type.String({ maxLength: 20 }), q: Type.String({ maxLength: 2_048 }) }),
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
      const kind = kindOf(request.params);
      const { locale } = request;
      const find = () => (kind === 'reputation' ? lookups.reputation.known(q) : lookups.known(kind, { q }, locale));
      return answered({ kind, q, request, nowMs: lookups.nowMs }, find);
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
      refuseOtherSites(request);
      const { q } = request.params;
      const kind = kindOf(request.params);
      const { account, address, signal, locale } = request;
      const caller = { account, address, signal, locale, maxAgeMs: null };
      return answered({ kind, q, request, nowMs: lookups.nowMs }, async () =>
        kind === 'reputation' ? { data: await lookups.reputation.check(q, caller) } : lookups.look(kind, { q }, caller),
      );
    },
  }),
];

function kindOf({ kind }: { readonly kind: string }): PageKind {
  if (kind !== 'reputation' && !Object.hasOwn(kinds, kind)) throw new ApiError('NOT_FOUND');
  return kind as PageKind;
}

/** Question of a page, and the request for it. */
interface Asked {
  readonly kind: PageKind;
  readonly q: string;
  readonly request: PageRequest;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Page of an answer, or of the reason why there is none. */
async function answered(asked: Asked, find: () => Promise<LookupReply | null>): Promise<RawReply> {
  try {
    return pageOf(asked, await find());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusalOf(asked, error);
  }
}

function pageOf({ kind, q, request, nowMs }: Asked, reply: LookupReply | null): RawReply {
  const { locale } = request;
  const texts = lookupPageTexts[locale];
  const isAsked = kind === 'reputation' || kinds[kind].runs === 'on a node';
  const content = html`
${heading(kind, q, locale)}
${reply !== null && isAsked ? html`<p class="muted">${ageText(reply, wordsOf(locale, nowMs))}</p>` : ''}
${reply === null ? html`<p class="text">${texts.nothing}</p>` : answerHtml({ kind, data: reply.data, locale, nowMs })}
${isAsked ? button(reply === null ? texts.ask : texts.askAgain) : ''}`;
  return unlisted(renderPage(request, { title: `${texts.kinds[kind]} · ${textCell(q)}`, content }));
}

function refusalOf({ kind, q, request }: Asked, error: ApiError): RawReply {
  const { locale } = request;
  const texts = lookupPageTexts[locale];
  const found = Object.values(error.details ?? {}).flat();
  const reasons = found.map(({ message }) => messageIn(message, locale));
  // the message of this code only points to its reasons
  const general = error.code === 'VALIDATION_FAILED' ? [] : [{ locale, text: messageOf(error, locale) }];
  const [first, ...others] = [...general, ...reasons];
  const content = html`
${heading(kind, q, locale)}
<p class="text bad">${texts.failed}${first !== undefined && html`: <span lang="${first.locale}">${textCell(first.text)}</span>`}</p>
${others.map((reason) => html`<p class="text" lang="${reason.locale}">${textCell(reason.text)}</p>`)}
${(error.status >= 500 || error.status === 429) && !error.isNotConfigured ? button(texts.askAgain) : ''}`;
  const page = renderPage(request, { status: error.status, title: texts.failed, content });
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

function ageText({ cache }: LookupReply, { locale, duration }: Words): string {
  const texts = lookupPageTexts[locale];
  if (cache === undefined || !cache.hit) return texts.justAsked;
  return [texts.kept(duration(cache.age_sec)), ...(cache.stale === true ? [texts.stale] : [])].join(' ');
}

/** Pages about what a visitor looked up belong into no index. */
function unlisted(reply: RawReply): RawReply {
  return { ...reply, headers: { ...reply.headers, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } };
}
