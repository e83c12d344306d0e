import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { ApiError } from '../../../http/errors.js';
import { type Html, html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { type AnyRoute, defineRoute, type RawReply, type RouteRequest, type Services } from '../../../http/route.js';
import type { LinkRight } from '../channels/link-tokens.js';
import { type PageText, pageTexts } from '../channels/page-texts.js';
import type { KnownLink } from '../channels/verification.js';

// A button acts, not the visit: mail programs open links to scan them. One-click requests of mail programs (RFC 8058) are the same
// POST, with a body that needs no look.

type PageRequest = RouteRequest<{ token: string }, unknown, unknown>;

/** Page that a link in a mail leads to, or one that undoes the act of another. */
interface LinkPage {
  /** Right that it needs. */
  readonly right: LinkRight['act'];
  readonly title: (text: PageText) => string;
  readonly ask: (text: PageText, found: KnownLink) => string;
  readonly button: (text: PageText) => string;
  /** True if there is nothing left to do. */
  readonly isDone: (found: KnownLink) => boolean;
  readonly act: (found: KnownLink, services: Services, request: PageRequest) => Promise<void>;
  readonly done: (text: PageText, found: KnownLink) => string;
  /** Page that undoes the act; absent: nothing does. */
  readonly back?: 'resubscribe' | 'resume';
}

const hasStopped = ({ right, recipient }: KnownLink) => recipient.stoppedMonitors.includes(right.monitor?.id ?? '');
const monitorOf = ({ right }: KnownLink) => right.monitor?.name ?? '';

const pages: Readonly<Record<LinkRight['act'] | 'resubscribe' | 'resume', LinkPage>> = {
  verify: {
    right: 'verify',
    title: (text) => text.verifyTitle,
    ask: (text, { right, row }) => text.verifyAsk(right.to, row.name),
    button: (text) => text.verifyButton,
    isDone: () => false,
    act: ({ row, right }, { alerts }, request) => alerts.verification.confirm(row, right, actorOf(request)),
    done: (text) => text.verified,
  },
  unsubscribe: {
    right: 'unsubscribe',
    title: (text) => text.unsubscribeTitle,
    ask: (text, { right, row }) => (row.is_default ? text.unsubscribeOwnAsk : text.unsubscribeAsk)(right.to, row.name),
    button: (text) => text.unsubscribeButton,
    isDone: ({ recipient }) => recipient.isUnsubscribed,
    act: (found, { alerts }) => alerts.verification.unsubscribe(found),
    done: (text, { right }) => text.unsubscribed(right.to),
    back: 'resubscribe',
  },
  resubscribe: {
    right: 'unsubscribe',
    title: (text) => text.verifyTitle,
    ask: (text, { right, row }) => text.verifyAsk(right.to, row.name),
    button: (text) => text.resubscribeButton,
    isDone: ({ recipient }) => !recipient.isUnsubscribed,
    act: (found, { alerts }) => alerts.verification.resubscribe(found),
    done: (text) => text.verified,
  },
  stop: {
    right: 'stop',
    title: (text) => text.stopTitle,
    ask: (text, found) => text.stopAsk(found.right.to, monitorOf(found)),
    button: (text) => text.stopButton,
    isDone: hasStopped,
    act: (found, { alerts }) => alerts.verification.stop(found),
    done: (text, found) => text.stopped(found.right.to, monitorOf(found)),
    back: 'resume',
  },
  resume: {
    right: 'stop',
    title: (text) => text.verifyTitle,
    ask: (text, found) => text.resumeAsk(found.right.to, monitorOf(found)),
    button: (text) => text.resubscribeButton,
    isDone: (found) => !hasStopped(found),
    act: ({ row, right }, { alerts }, request) =>
      alerts.verification.resume(row, { to: right.to, monitorId: right.monitor?.id ?? '' }, actorOf(request)),
    done: (text, found) => text.resumed(found.right.to, monitorOf(found)),
  },
};

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

const capitalised = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Pages on which recipients of alerts confirm, unsubscribe, or stop the messages about a monitor, and undo the latter two. */
export const mailedLinkRoutes: readonly AnyRoute[] = Object.entries(pages).flatMap(([name, page]) => [
  defineRoute({
    ...common,
    operationId: `getAlertLinkPage${capitalised(name)}`,
    method: 'GET',
    path: `/alert-channels/${name}/{token}`,
    summary: `Ask a recipient of alerts before: ${name}`,
    handle: (request, services) => ask(request, services, page),
  }),
  defineRoute({
    ...common,
    operationId: `postAlertLinkPage${capitalised(name)}`,
    method: 'POST',
    path: `/alert-channels/${name}/{token}`,
    summary: `Act for a recipient of alerts: ${name}`,
    rawBody: { keepBytes: 0 },
    handle: (request, services) => act(request, services, page),
  }),
]);

async function ask(request: PageRequest, { alerts }: Services, page: LinkPage): Promise<RawReply> {
  const found = await alerts.verification.findLink(request.params.token, page.right);
  if (found === null) return invalid(request, page);
  if (page.isDone(found)) return done(request, page, found);
  const text = pageTexts[request.locale];
  const form = html`<form method="post"><p><button>${page.button(text)}</button></p></form>`;
  return written(request, page, { sentence: page.ask(text, found), form });
}

async function act(request: PageRequest, services: Services, page: LinkPage): Promise<RawReply> {
  const found = await services.alerts.verification.findLink(request.params.token, page.right);
  if (found === null) return invalid(request, page);
  try {
    if (!page.isDone(found)) await page.act(found, services, request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return invalid(request, page);
  }
  return done(request, page, found);
}

function done(request: PageRequest, page: LinkPage, found: KnownLink): RawReply {
  const text = pageTexts[request.locale];
  const { back } = page;
  const form =
    back !== undefined &&
    html`<form method="post" action="${`/alert-channels/${back}/${request.params.token}`}"><p><button class="quiet">${pages[back].button(text)}</button></p></form>`;
  return written(request, page, { sentence: page.done(text, found), form });
}

function invalid(request: PageRequest, page: LinkPage): RawReply {
  return written(request, page, { sentence: pageTexts[request.locale].invalid, status: 404 });
}

/** The address of the page is a right: it goes to no other site and into no index. */
function written(
  request: PageRequest,
  page: LinkPage,
  {
    sentence,
    form = false,
    status = 200,
  }: { readonly sentence: string; readonly form?: Html | false; readonly status?: number },
): RawReply {
  const title = page.title(pageTexts[request.locale]);
  const content = html`
<h1>${title}</h1>
<p class="text">${sentence}</p>
${form}`;
  const reply = renderPage(request, { status, title, content });
  return { ...reply, headers: { ...reply.headers, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } };
}
