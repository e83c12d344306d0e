import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { type Html, html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute, type RawReply, type Services } from '../../../http/route.js';
import { type AccountPageRequest, redirect, refusalHtml, type Visitor } from '../pages/account-pages.js';
import { accountTexts } from '../pages/account-texts.js';
import { HOME_OF_ACCOUNTS } from '../pages/next.js';
import { FORM_BYTES } from '../pages/page-forms.js';
import { programName } from '../pages/program-name.js';
import { qrPicture } from '../pages/qr-picture.js';
import { qrTexts } from '../pages/qr-texts.js';
import type { QrApprover, ShownQr } from '../ways/qr-sign-in.js';
import { qrPollLimit, signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { queryOf } from './sign-in-pages.js';

const page = { tag: 'Pages', auth: { kind: 'none' }, replyKind: 'html', isDocumented: false } as const;
const replies = Object.fromEntries([200, 303, 400, 401, 403, 429].map((status) => [status, Type.String()]));
const form = { rawBody: { keepBytes: FORM_BYTES }, errors: ['FORBIDDEN'] } as const;

const WAITING = '/sign-in/qr';
const APPROVING = '/qr';

/** Sends the form of the page again and again until its response leads elsewhere; without it, the person presses the button. */
const pollScript = `
const form = document.querySelector('#wait');
const look = async () => {
  try {
    const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
    if (response.redirected) return location.assign(response.url);
    if (response.status !== 200 && response.status !== 429) return location.reload();
  } catch {}
  setTimeout(look, 2000);
};
setTimeout(look, 2000);
`;

/** Sends the token in the form: it is in the fragment of the address, or was kept while the person signed in. */
const tokenScript = `
const form = document.querySelector('#scanned');
const token = location.hash.slice(1) || sessionStorage.getItem('qr') || '';
sessionStorage.removeItem('qr');
document.querySelector('#none').hidden = token !== '';
if (token !== '') { form.elements.token.value = token; form.submit(); }
`;

/** Keeps the token in this tab, for the way to the sign-in or to the confirmation and back: a redirect or form would lose the fragment. */
const keepScript = `
if (location.hash !== '') sessionStorage.setItem('qr', location.hash.slice(1));
if (document.querySelector('#on').dataset.isAtOnce) location.replace(document.querySelector('#on').href);
`;

/** GET /sign-in/qr: the device that wants to sign in. */
const getWaiting = defineRoute({
  ...page,
  operationId: 'getSignInQrPage',
  method: 'GET',
  path: WAITING,
  summary: 'Sign in with another device',
  replies,
  errors: [],
  async handle(request, services) {
    const { pages } = services.accounts;
    if ((await pages.visitor(request)) !== null) return redirect(request, pages.nextOf(request));
    const challenge = pages.signInCookieOf(request) ?? '';
    try {
      const shown = await pages.qrSignIn.shown(challenge);
      return shown.status === 'denied'
        ? offer(request, services, { isDenied: true })
        : waiting(request, services, shown);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return offer(request, services, { error: error.code === 'AUTH_OTP_EXPIRED' ? error : null });
    }
  },
});

/** POST /sign-in/qr: shows the picture, or looks if it was approved. */
const postWaiting = defineRoute({
  ...page,
  ...form,
  operationId: 'postSignInQrPage',
  method: 'POST',
  path: WAITING,
  summary: 'Sign in with another device',
  limit: qrPollLimit,
  replies,
  async handle(request, services) {
    const { pages } = services.accounts;
    const cookie = pages.signInCookieOf(request);
    const fields = pages.readForm(request, cookie);
    const by = signInBy(request);
    if (fields.get('act') !== 'wait') {
      const { challenge } = await pages.qrSignIn.start(by.client);
      return redirect(request, `${WAITING}${queryOf(request)}`, [pages.newSignInCookie(challenge)]);
    }
    try {
      const polled = await pages.qrSignIn.poll(cookie ?? '', by);
      if (polled === 'denied') return offer(request, services, { isDenied: true });
      if (polled === 'pending') return waiting(request, services, await pages.qrSignIn.shown(cookie ?? ''));
      return pages.signedIn(request, async () => polled);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return offer(request, services, { error });
    }
  },
});

/** GET /qr: the person who scanned the picture. */
const getApproving = defineRoute({
  ...page,
  operationId: 'getQrPage',
  method: 'GET',
  path: APPROVING,
  summary: 'Sign another device in',
  replies,
  errors: [],
  async handle(request, services) {
    const { pages } = services.accounts;
    const text = qrTexts[request.locale];
    const visitor = await pages.visitor(request);
    if (visitor === null) {
      const { signIn } = accountTexts[request.locale];
      const link = html`<a class="button" id="on" data-is-at-once="true" href="/sign-in?next=%2Fqr">${signIn}</a>`;
      return approving(request, html`<p>${link}</p>`, { script: keepScript });
    }
    const barred = await barrier(request, services, visitor);
    if (barred !== null) return barred;
    const content = html`<noscript><p class="bad">${text.needsScript}</p></noscript>
<p id="none" hidden>${text.noToken}</p>
<form id="scanned" method="post" action="${APPROVING}">${pages.formToken(APPROVING, visitor.cookie)}<input type="hidden" name="token"></form>`;
    return approving(request, content, { script: tokenScript });
  },
});

/** POST /qr: shows the device, and approves or refuses it. */
const postApproving = defineRoute({
  ...page,
  ...form,
  operationId: 'postQrPage',
  method: 'POST',
  path: APPROVING,
  summary: 'Sign another device in',
  limit: signInLimit,
  replies,
  async handle(request, services) {
    const { pages } = services.accounts;
    const visitor = await pages.pageSession(request);
    if ('raw' in visitor) return visitor;
    const fields = pages.readForm(request, visitor.cookie);
    const barred = await barrier(request, services, visitor);
    if (barred !== null) return barred;
    const [token, act] = [fields.get('token') ?? '', fields.get('act')];
    const text = qrTexts[request.locale];
    const done = (message: string) => approving(request, html`<p class="good" role="status">${message}</p>`);
    try {
      const person = approverOf(request, visitor);
      if (act === 'approve') {
        await pages.qrSignIn.approve({ token, code: fields.get('code') ?? '' }, person);
        return done(text.approved);
      }
      if (act === 'deny') {
        await pages.qrSignIn.deny(token, person);
        return done(text.refused);
      }
      return await deciding(request, { pages, visitor, token, error: null });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      return await deciding(request, { pages, visitor, token, error });
    }
  },
});

export const qrPages = [getWaiting, postWaiting, getApproving, postApproving];

/** The page with a button that shows a picture. */
function offer(
  request: AccountPageRequest,
  { accounts: { pages } }: Services,
  { error = null, isDenied = false }: { error?: ApiError | null; isDenied?: boolean },
): RawReply {
  const text = qrTexts[request.locale];
  const { cookie, cookies } = pages.signInCookie(request);
  const content = html`<h1>${text.title}</h1>
${refusalHtml(error, request.locale)}
${isDenied && html`<p class="bad" role="alert">${text.denied}</p>`}
<p>${text.ask}</p>
<form class="stacked" method="post" action="${WAITING}${queryOf(request)}">
${pages.formToken(WAITING, cookie)}
<button>${text.start}</button>
</form>
${backLink(request)}`;
  const isRefused = error !== null || isDenied;
  const status = isRefused && request.method === 'POST' ? (error?.status ?? 403) : 200;
  return { ...renderPage(request, { status, title: text.title, content }), cookies };
}

/** The page with the picture. */
function waiting(request: AccountPageRequest, { accounts: { pages } }: Services, { code, url }: ShownQr): RawReply {
  const text = qrTexts[request.locale];
  const { cookie } = pages.signInCookie(request);
  const content = html`<h1>${text.title}</h1>
<p>${text.scan}</p>
<p class="digits"><strong>${code}</strong></p>
<p>${qrPicture(url, text.picture)}</p>
<p>${text.waiting}</p>
<form class="stacked" id="wait" method="post" action="${WAITING}${queryOf(request)}">
${pages.formToken(WAITING, cookie)}<input type="hidden" name="act" value="wait">
<button>${text.go}</button>
</form>
${backLink(request)}`;
  return renderPage(request, { title: text.title, content, script: pollScript });
}

/** The device of a token and the form to decide about it; if it cannot be approved any more, only why. */
async function deciding(
  request: AccountPageRequest,
  {
    pages,
    visitor,
    token,
    error,
  }: { pages: Services['accounts']['pages']; visitor: Visitor; token: string; error: ApiError | null },
): Promise<RawReply> {
  const text = qrTexts[request.locale];
  const found = await pages.qrSignIn.look(token).catch((problem: unknown) => {
    if (problem instanceof ApiError) return problem;
    throw problem;
  });
  if (found instanceof ApiError) {
    const shown = error ?? found;
    const content = html`${refusalHtml(shown, request.locale)}<p>${text.noToken}</p>`;
    return approving(request, content, { status: shown.status });
  }
  const content = html`${refusalHtml(error, request.locale)}
<p>${text.device}</p>
<dl><dt>${text.address}</dt><dd>${found.address}</dd><dt>${text.program}</dt><dd>${found.userAgent === null ? text.unknown : programName(found.userAgent)}</dd></dl>
<p class="warn">${text.warning}</p>
<form class="stacked" method="post" action="${APPROVING}">
${pages.formToken(APPROVING, visitor.cookie)}<input type="hidden" name="token" value="${token}">
<label>${text.digits}<input name="code" inputmode="numeric" autocomplete="off" autofocus maxlength="8"></label>
<p class="row"><button name="act" value="approve">${text.approve}</button>
<button class="quiet" name="act" value="deny">${text.deny}</button></p>
</form>`;
  return approving(request, content, { status: error?.status ?? 200 });
}

function approving(
  request: AccountPageRequest,
  content: Html,
  more: { readonly status?: number; readonly script?: string } = {},
): RawReply {
  const title = qrTexts[request.locale].approveTitle;
  return renderPage(request, { title, content: html`<h1>${title}</h1>\n${content}`, ...more });
}

/** The page for a person who may not approve: the address is not verified, or the session not fresh; null if they may. */
async function barrier(
  request: AccountPageRequest,
  { accounts: { users } }: Services,
  { userId, freshness }: Visitor,
): Promise<RawReply | null> {
  const text = qrTexts[request.locale];
  if (!(await users.getProfile(userId)).email_verified) {
    const error = new ApiError('ACCOUNT_EMAIL_UNVERIFIED');
    return approving(request, html`${refusalHtml(error, request.locale)}`, { status: error.status });
  }
  if (freshness.isFresh) return null;
  const content = html`<p>${text.confirmFirst}</p>
<p><a class="button" id="on" href="${HOME_OF_ACCOUNTS}?next=%2Fqr">${text.toSecurity}</a></p>`;
  return approving(request, content, { script: keepScript });
}

function backLink(request: AccountPageRequest): Html {
  return html`<p><a href="/sign-in${queryOf(request)}">${accountTexts[request.locale].back}</a></p>`;
}

function approverOf(request: AccountPageRequest, { userId, sessionId }: Visitor): QrApprover {
  const { actor } = signInBy(request);
  return { userId, sessionId, actor: { ...actor, userId, credentialId: sessionId } };
}
