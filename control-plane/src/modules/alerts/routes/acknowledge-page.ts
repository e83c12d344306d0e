import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import type { Locale } from '../../../http/locale.js';
import { html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import { type AnyRoute, defineRoute, type RawReply } from '../../../http/route.js';
import { acknowledgeTexts } from '../links/acknowledge-texts.js';
import type { Linked } from '../links/link-acts.js';
import { nameOf } from '../types/texts/alert-message.js';
import { instantText } from '../types/texts/instants.js';
import { alertWords } from '../types/texts/words.js';

/** Alerts that the page of a digest names. */
const MAX_NAMED = 20;

// A button acts, not the visit: mail programs and chats open links to scan them and to show a preview.

const common = {
  tag: 'Pages',
  auth: { kind: 'none' },
  params: Type.Object({ token: Type.String({ maxLength: 1_000 }) }),
  replies: { 200: Type.String(), 404: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
} as const;

/** Page on which recipients of messages acknowledge an alert. */
export const acknowledgePageRoutes: readonly AnyRoute[] = [
  defineRoute({
    ...common,
    operationId: 'getAlertAcknowledgePage',
    method: 'GET',
    path: '/a/{token}',
    // scanners of a mail server open each link of each message, and may not keep its readers from the button
    limit: { name: 'alert-link-views', limit: 600, per: 'minute', from: 'address' },
    summary: 'Show an alert, or those of a digest, and ask whether to acknowledge them',
    async handle(request, { alerts }) {
      const linked = await alerts.links.find(request.params.token);
      return linked === null ? invalidPage(request) : pageOf(linked, request, false);
    },
  }),
  defineRoute({
    ...common,
    operationId: 'postAlertAcknowledge',
    method: 'POST',
    path: '/a/{token}',
    limit: { name: 'alert-links', limit: 60, per: 'minute', from: 'address' },
    summary: 'Acknowledge an alert, or those of a digest',
    rawBody: { keepBytes: 0 },
    async handle(request, { alerts }) {
      const linked = await alerts.links.acknowledge(request.params.token, actorOf(request));
      return linked === null ? invalidPage(request) : pageOf(linked, request, true);
    },
  }),
];

function pageOf(linked: Linked, request: PageRequest, isDone: boolean): RawReply {
  return linked.kind === 'alert' ? alertPage(linked, request, isDone) : digestPage(linked, request, isDone);
}

type Digest = Extract<Linked, { kind: 'digest' }>;

function digestPage({ title, alerts }: Digest, request: PageRequest, isDone: boolean): RawReply {
  const { locale } = request;
  const text = acknowledgeTexts[locale];
  const { types, more } = alertWords[locale];
  const firing = alerts.filter(({ status }) => status === 'firing');
  const isOver = alerts.every(({ status }) => status === 'resolved');
  const state = firing.length > 0 ? text.askAll : isOver ? text.allOver : isDone ? text.allDone : text.noneLeft;
  const named = firing.length > 0 ? firing : alerts;
  const names = named
    .slice(0, MAX_NAMED)
    .map(({ type, status, monitor_name: name }) =>
      status === 'firing' ? `${types[type]}: ${nameOf(name)}` : nameOf(name),
    );
  const rest = named.length > MAX_NAMED ? [more(named.length - MAX_NAMED)] : [];
  const content = html`
<h1>${title}</h1>
${[...names, ...rest].map((line) => html`<p class="text">${line}</p>`)}
<p class="text">${state}</p>
${firing.length > 0 ? html`<form method="post"><p><button>${text.buttonAll(firing.length)}</button></p></form>` : html``}`;
  return withPrivacy(renderPage(request, { title: text.title, content }));
}

type OneAlert = Extract<Linked, { kind: 'alert' }>;

function alertPage({ row, acknowledgedBy }: OneAlert, request: PageRequest, isDone: boolean): RawReply {
  const { locale } = request;
  const text = acknowledgeTexts[locale];
  const { types, titles, labels } = alertWords[locale];
  const facts = [
    [labels.since, instantText(row.started_at.getTime(), 'UTC')],
    [labels.target, nameOf(row.monitor_target)],
    [labels.reason, nameOf(row.reason ?? '')],
  ].filter(([, value]) => value !== '');
  const content = html`
<h1>${titles.firing(types[row.type], nameOf(row.monitor_name))}</h1>
<dl>${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
<p class="${row.status === 'firing' ? 'text' : 'text good'}">${stateText({ row, acknowledgedBy }, { locale, isDone })}</p>
${row.status === 'firing' ? html`<form method="post"><p><button>${text.button}</button></p></form>` : html``}`;
  return withPrivacy(renderPage(request, { title: text.title, content }));
}

function stateText(
  { row: { status, state }, acknowledgedBy }: Pick<OneAlert, 'row' | 'acknowledgedBy'>,
  { locale, isDone }: { readonly locale: Locale; readonly isDone: boolean },
): string {
  const text = acknowledgeTexts[locale];
  if (status === 'resolved') return text.resolved(instantText(state.resolvedAtMs ?? 0, 'UTC'));
  if (status === 'firing') return text.ask;
  if (isDone) return text.done;
  return text.acknowledged(nameOf(acknowledgedBy ?? ''), instantText(state.acknowledgedAtMs ?? 0, 'UTC'));
}

function invalidPage(request: PageRequest): RawReply {
  const { title, invalidTitle, invalid } = acknowledgeTexts[request.locale];
  const content = html`
<h1>${invalidTitle}</h1>
<p class="text">${invalid}</p>`;
  return withPrivacy(renderPage(request, { status: 404, title, content }));
}

/** The address of the page is a right: it goes to no other site and into no index. */
function withPrivacy(reply: RawReply): RawReply {
  return { ...reply, headers: { ...reply.headers, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } };
}
