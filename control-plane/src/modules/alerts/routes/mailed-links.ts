import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { ApiError } from '../../../http/errors.js';
import { html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { type AnyRoute, defineRoute, type RawReply, type RouteRequest, type Services } from '../../../http/route.js';
import type { LinkRight } from '../channels/link-tokens.js';
import { pageTexts } from '../channels/page-texts.js';

// A button acts, not the visit: mail programs open links to scan them. One-click requests of mail programs (RFC 8058) are the same
// POST, with a body that needs no look.

type Act = LinkRight['act'];
type PageRequest = Pick<
  RouteRequest<{ token: string }, unknown, unknown>,
  'url' | 'params' | 'locale' | 'address' | 'requestId' | 'account'
>;

const common = {
  tag: 'Pages',
  auth: { kind: 'none' },
  limit: { name: 'alert-links', limit: 60, per: 'minute', from: 'address' },
  params: Type.Object({ token: Type.String({ maxLength: 1_000 }) }),
  replies: { 200: Type.String(), 404: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
} as const;

/** Pages on which recipients of alerts confirm, unsubscribe, or stop the messages about a monitor. */
export const mailedLinkRoutes: readonly AnyRoute[] = [
  defineRoute({
    ...common,
    operationId: 'getAlertRecipientVerifyPage',
    method: 'GET',
    path: '/alert-channels/verify/{token}',
    summary: 'Ask whether to receive alerts',
    handle: (request, services) => ask(request, services, 'verify'),
  }),
  defineRoute({
    ...common,
    operationId: 'postAlertRecipientVerify',
    method: 'POST',
    path: '/alert-channels/verify/{token}',
    summary: 'Receive alerts',
    rawBody: { keepBytes: 0 },
    handle: (request, services) => verify(request, services),
  }),
  defineRoute({
    ...common,
    operationId: 'getAlertUnsubscribePage',
    method: 'GET',
    path: '/alert-channels/unsubscribe/{token}',
    summary: 'Ask whether to unsubscribe from alerts',
    handle: (request, services) => ask(request, services, 'unsubscribe'),
  }),
  defineRoute({
    ...common,
    operationId: 'postAlertUnsubscribe',
    method: 'POST',
    path: '/alert-channels/unsubscribe/{token}',
    summary: 'Unsubscribe from alerts',
    rawBody: { keepBytes: 0 },
    handle: (request, services) => unsubscribe(request, services),
  }),
  defineRoute({
    ...common,
    operationId: 'getAlertStopPage',
    method: 'GET',
    path: '/alert-channels/stop/{token}',
    summary: 'Ask whether to stop messages about a monitor',
    handle: (request, services) => ask(request, services, 'stop'),
  }),
  defineRoute({
    ...common,
    operationId: 'postAlertStop',
    method: 'POST',
    path: '/alert-channels/stop/{token}',
    summary: 'Stop messages about a monitor',
    rawBody: { keepBytes: 0 },
    handle: (request, services) => stop(request, services),
  }),
];

async function ask(request: PageRequest, { alerts }: Services, act: Act): Promise<RawReply> {
  const found = await alerts.verification.findLink(request.params.token, act);
  const text = pageTexts[request.locale];
  const title = { verify: text.verifyTitle, unsubscribe: text.unsubscribeTitle, stop: text.stopTitle }[act];
  if (found === null) return page(request, title, text.invalid, 404);
  const { right, row } = found;
  const [question, label] = {
    verify: [text.verifyAsk(right.to, row.name), text.verifyButton],
    unsubscribe: [text.unsubscribeAsk(right.to, row.name), text.unsubscribeButton],
    stop: [text.stopAsk(right.to, right.monitor?.name ?? ''), text.stopButton],
  }[act];
  const content = html`
<h1>${title}</h1>
<p class="text">${question}</p>
<form method="post"><p><button>${label}</button></p></form>`;
  return withPrivacy(renderPage(request, { title, content }));
}

async function verify(request: PageRequest, { alerts }: Services): Promise<RawReply> {
  const text = pageTexts[request.locale];
  const found = await alerts.verification.findLink(request.params.token, 'verify');
  if (found === null) return page(request, text.verifyTitle, text.invalid, 404);
  try {
    await alerts.verification.confirm(found.row, found.right, actorOf(request));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return page(request, text.verifyTitle, text.invalid, 404);
  }
  return page(request, text.verifyTitle, text.verified, 200);
}

async function unsubscribe(request: PageRequest, { alerts }: Services): Promise<RawReply> {
  const text = pageTexts[request.locale];
  const found = await alerts.verification.findLink(request.params.token, 'unsubscribe');
  if (found === null) return page(request, text.unsubscribeTitle, text.invalid, 404);
  await alerts.verification.unsubscribe(found);
  return page(request, text.unsubscribeTitle, text.unsubscribed, 200);
}

async function stop(request: PageRequest, { alerts }: Services): Promise<RawReply> {
  const text = pageTexts[request.locale];
  const found = await alerts.verification.findLink(request.params.token, 'stop');
  if (found === null) return page(request, text.stopTitle, text.invalid, 404);
  await alerts.verification.stop(found);
  return page(request, text.stopTitle, text.stopped(found.right.monitor?.name ?? ''), 200);
}

function page(request: PageRequest, title: string, text: string, status: number): RawReply {
  const content = html`
<h1>${title}</h1>
<p class="text">${text}</p>`;
  return withPrivacy(renderPage(request, { status, title, content }));
}

/** The address of the page is a right: it goes to no other site and into no index. */
function withPrivacy(reply: RawReply): RawReply {
  return { ...reply, headers: { ...reply.headers, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } };
}
