import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { instantText } from '../../../http/instant-text.js';
import { type Html, html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import { type AnyRoute, defineRoute, type RawReply } from '../../../http/route.js';
import { acknowledgeTexts } from '../links/acknowledge-texts.js';
import type { Linked } from '../links/link-acts.js';
import { oneLine } from '../types/formats/characters.js';
import { cut } from '../types/formats/cut.js';
import { nameOf, targetOf } from '../types/texts/alert-message.js';
import { alertCounts } from '../types/texts/digest-message.js';
import { overSentence, stateSentence } from '../types/texts/headline.js';
import { causeOf } from '../types/texts/reason-text.js';
import { alertWords } from '../types/texts/words.js';

/** Alerts that the page of a digest names. */
const MAX_NAMED = 20;
/** Greatest length of a note, and size of the form that has it. */
const MAX_NOTE = 500;
const FORM_BYTES = 8_192;

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
      return linked === null ? invalidPage(request) : pageOf(linked, { request, nowMs: alerts.now(), isDone: false });
    },
  }),
  defineRoute({
    ...common,
    operationId: 'postAlertAcknowledge',
    method: 'POST',
    path: '/a/{token}',
    limit: { name: 'alert-links', limit: 60, per: 'minute', from: 'address' },
    summary: 'Acknowledge an alert, or those of a digest',
    rawBody: { keepBytes: FORM_BYTES },
    async handle(request, { alerts }) {
      const act = { note: noteIn(request.rawBody.bytes), actor: actorOf(request) };
      const linked = await alerts.links.acknowledge(request.params.token, act);
      return linked === null ? invalidPage(request) : pageOf(linked, { request, nowMs: alerts.now(), isDone: true });
    },
  }),
];

interface View {
  readonly request: PageRequest;
  readonly nowMs: number;
  /** True after the button was pressed. */
  readonly isDone: boolean;
}

/** Note of the form; null if there is none. The form takes no more than is kept. */
function noteIn(form: Buffer): string | null {
  const note = cut(oneLine(new URLSearchParams(form.toString('utf8')).get('note') ?? ''), MAX_NOTE);
  return note === '' ? null : note;
}

function pageOf(linked: Linked, view: View): RawReply {
  return linked.kind === 'alert' ? alertPage(linked, view) : digestPage(linked, view);
}

type Digest = Extract<Linked, { kind: 'digest' }>;

function digestPage({ alerts }: Digest, { request, isDone }: View): RawReply {
  const text = acknowledgeTexts[request.locale];
  const { types, titles, more } = alertWords[request.locale];
  const title = alertCounts(
    alerts.map(({ type, status }) => ({ type, isOver: status === 'resolved' })),
    request.locale,
  );
  const firing = alerts.filter(({ status }) => status === 'firing');
  const isOver = alerts.every(({ status }) => status === 'resolved');
  const state = firing.length > 0 ? text.askAll : isOver ? text.allOver : isDone ? text.allDone : text.noneLeft;
  const named = firing.length > 0 ? firing : alerts;
  const names = named
    .slice(0, MAX_NAMED)
    .map(({ type, status, monitor_name: name }) =>
      status === 'firing' ? titles.firing(types[type], nameOf(name)) : nameOf(name),
    );
  const rest = named.length > MAX_NAMED ? [more(named.length - MAX_NAMED)] : [];
  const content = html`
<h1>${title}</h1>
<ul class="text">${[...names, ...rest].map((line) => html`<li>${line}</li>`)}</ul>
<p class="text">${state}</p>
${firing.length > 0 && acknowledgeForm(text.note, text.buttonAll(firing.length))}`;
  return withPrivacy(renderPage(request, { title, content }));
}

type OneAlert = Extract<Linked, { kind: 'alert' }>;

function alertPage(alert: OneAlert, view: View): RawReply {
  const { row, timezone, note } = alert;
  const { request, nowMs } = view;
  const { locale } = request;
  const text = acknowledgeTexts[locale];
  const { labels, types, titles, resolutions } = alertWords[locale];
  const audience = { locale, timezone };
  const known = {
    type: row.type,
    monitor: { name: row.monitor_name, type: row.monitor_type, target: row.monitor_target },
    nowMs,
    startedAtMs: row.started_at.getTime(),
    reason: row.reason,
  };
  const { resolvedAtMs, resolution } = row.state;
  const isOver = row.status === 'resolved';
  const sentence = isOver
    ? overSentence({ ...known, resolvedAtMs, resolution }, audience)
    : stateSentence(known, audience);
  const facts = [
    [labels.since, instantText(known.startedAtMs, audience)],
    [labels.target, nameOf(targetOf(known.monitor))],
    [labels.reason, isOver ? (causeOf(row.reason, nowMs, audience) ?? '') : ''],
    [labels.note, note ?? ''],
  ].filter(([, value]) => value !== '');
  const state = isOver ? resolutions[resolution ?? 'recovered'] : types[row.type];
  const tone = isOver ? 'good' : row.type === 'down' ? 'bad' : 'warn';
  const content = html`
<h1>${nameOf(row.monitor_name)}</h1>
<p><span class="pill ${tone}">${state}</span>${row.status !== 'resolved' && html` <span class="muted small">${text.states[row.status]}</span>`}</p>
${sentence !== null && html`<p class="text lead">${sentence}</p>`}
<dl>${facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
<p class="${row.status === 'firing' ? 'text' : 'text good'}">${stateText(alert, view)}</p>
${row.status === 'firing' && acknowledgeForm(text.note, text.button)}`;
  return withPrivacy(renderPage(request, { title: titles.firing(state, nameOf(row.monitor_name)), content }));
}

function acknowledgeForm(note: string, button: string): Html {
  return html`<form method="post">
<p><label>${note}<br><input name="note" maxlength="${MAX_NOTE}" size="40" autocomplete="off"></label></p>
<p><button>${button}</button></p>
</form>`;
}

function stateText(
  { row: { status, state }, acknowledgedBy, timezone }: OneAlert,
  { request: { locale }, isDone }: View,
): string {
  const text = acknowledgeTexts[locale];
  const at = (atMs: number | null) => instantText(atMs ?? 0, { locale, timezone });
  if (status === 'resolved') return text.resolved(at(state.resolvedAtMs));
  if (status === 'firing') return text.ask;
  if (isDone) return text.done;
  return text.acknowledged(nameOf(acknowledgedBy ?? ''), at(state.acknowledgedAtMs));
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
