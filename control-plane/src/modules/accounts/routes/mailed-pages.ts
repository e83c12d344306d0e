import { Type } from 'typebox';
import type { Locale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute } from '../../../http/route.js';
import { accountTexts } from '../pages/account-texts.js';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../passwords/passwords.js';
import { pageTexts } from '../profile/page-texts.js';

// The token is in the fragment of the link, which browsers do not send, so no log and no Referer contains it. A button
// uses it, not the visit: mail programs open links to scan them.

/** Script that sends a submitted form, and shows the response in the only `output` element of the page. */
export const script = `
const ask = document.querySelector('#ask');
const output = document.querySelector('output');
const token = decodeURIComponent(location.hash.slice(1));
const show = (text, kind) => { output.textContent = text; output.className = kind; };
ask.hidden = token === '';
if (token === '') show(ask.dataset.noToken, 'bad');
// a change of the language keeps the token
for (const link of document.querySelectorAll('.languages a')) link.hash = location.hash;
const buttons = document.querySelectorAll('button');
const setBusy = (isBusy) => { for (const button of buttons) button.disabled = isBusy; };
for (const form of document.querySelectorAll('form')) form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(form));
  setBusy(true);
  show('', '');
  try {
    const response = await fetch(ask.dataset.action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Language': document.documentElement.lang },
      body: JSON.stringify({ token, ...fields }),
    });
    const { data, error } = await response.json();
    const details = error && error.details ? Object.values(error.details).flat().map(({ message }) => message) : [];
    const complaint = () => details.length === 0 ? error.message : [error.message.replace(/[.。]$/, ''), ...details].join(': ');
    show(data ? data.message : complaint(), data ? 'good' : 'bad');
    ask.hidden = Boolean(data);
    document.querySelector('#then').hidden = !data;
    if (data) history.replaceState(null, '', location.pathname + location.search);
    setBusy(false);
  } catch {
    show(ask.dataset.failed, 'bad');
    setBusy(false);
  }
});
`;

const common = {
  method: 'GET',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
} as const;

const newPasswordField = (label: string, name: string) =>
  html`<label>${label}<input type="password" name="${name}" autocomplete="new-password" required minlength="${MIN_PASSWORD_LENGTH}" maxlength="${MAX_PASSWORD_LENGTH}"></label>`;

/** End of a page with this script: the response, and after success the way to the sign-in. */
export const outcome = (locale: Locale): Html => html`<p><output></output></p>
<p id="then" hidden><a class="button" href="/sign-in">${accountTexts[locale].signIn}</a></p>`;

/** GET /verify-email: target of the link in the mail. */
export const verifyEmailPage = defineRoute({
  ...common,
  operationId: 'getVerifyEmailPage',
  path: '/verify-email',
  summary: 'Verify an e-mail address',
  async handle(request) {
    const text = pageTexts[request.locale];
    const content = html`
<h1>${text.verifyTitle}</h1>
<noscript><p class="bad">${text.needsScript}</p></noscript>
<div id="ask" class="text" data-action="/v1/auth/verify-email" data-no-token="${text.noToken}" data-failed="${text.failed}">
<form class="stacked">
<p>${text.verifyAsk}</p>
<label>${text.password}<input type="password" name="password" autocomplete="current-password" required maxlength="${MAX_PASSWORD_LENGTH}"></label>
<button>${text.verifyButton}</button>
</form>
<details>
<summary>${text.notMe}</summary>
<form class="stacked">
<p>${text.notMeAsk}</p>
${newPasswordField(text.newPassword, 'new_password')}
<button>${text.notMeButton}</button>
</form>
</details>
</div>
${outcome(request.locale)}`;
    return renderPage(request, { title: text.verifyTitle, content, script });
  },
});

/** GET /confirm-email: target of the link in the mail to a new address. */
export const confirmEmailPage = defineRoute({
  ...common,
  operationId: 'getConfirmEmailPage',
  path: '/confirm-email',
  summary: 'Confirm a new e-mail address',
  async handle(request) {
    const text = pageTexts[request.locale];
    const content = html`
<h1>${text.confirmTitle}</h1>
<noscript><p class="bad">${text.needsScript}</p></noscript>
<div id="ask" class="text" data-action="/v1/account/email/confirm" data-no-token="${text.noToken}" data-failed="${text.failed}">
<form class="stacked">
<p>${text.confirmAsk}</p>
<label>${text.password}<input type="password" name="password" autocomplete="current-password" required maxlength="${MAX_PASSWORD_LENGTH}"></label>
<button>${text.confirmButton}</button>
</form>
<details>
<summary>${text.noPassword}</summary>
<form class="stacked">
<p>${text.noPasswordAsk}</p>
<button>${text.confirmButton}</button>
</form>
</details>
</div>
${outcome(request.locale)}`;
    return renderPage(request, { title: text.confirmTitle, content, script });
  },
});

/** GET /reset-password: target of the link in the mail. */
export const resetPasswordPage = defineRoute({
  ...common,
  operationId: 'getResetPasswordPage',
  path: '/reset-password',
  summary: 'Set a new password',
  async handle(request) {
    const text = pageTexts[request.locale];
    const content = html`
<h1>${text.resetTitle}</h1>
<noscript><p class="bad">${text.needsScript}</p></noscript>
<div id="ask" class="text" data-action="/v1/auth/password/reset" data-no-token="${text.noToken}" data-failed="${text.failed}">
<form class="stacked">
<p>${text.resetAsk}</p>
${newPasswordField(text.newPassword, 'password')}
<button>${text.resetButton}</button>
</form>
</div>
${outcome(request.locale)}`;
    return renderPage(request, { title: text.resetTitle, content, script });
  },
});
