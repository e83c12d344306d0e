import { Type } from 'typebox';
import { html } from '../../../http/html.js';
import { renderPage } from '../../../http/page.js';
import { defineRoute } from '../../../http/route.js';
import { pageTexts } from '../page-texts.js';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../passwords.js';

// The token stands behind the # of the link: browsers send it to nobody, so no log and no Referer has it. A button uses
// it, not the visit: mail programs open links to look at them.

/** Sends what the form of the page says; the element that shows the answer is the page's only `output`. */
const script = `
const form = document.querySelector('form');
const output = document.querySelector('output');
const token = decodeURIComponent(location.hash.slice(1));
const show = (text, kind) => { output.textContent = text; output.className = kind; };
form.hidden = token === '';
if (token === '') show(form.dataset.noToken, 'bad');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  const password = form.elements.password;
  button.disabled = true;
  show('', '');
  try {
    const response = await fetch(form.dataset.action, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Language': document.documentElement.lang },
      body: JSON.stringify(password ? { token, password: password.value } : { token }),
    });
    const { data, error } = await response.json();
    const details = error && error.details ? Object.values(error.details).flat().map(({ message }) => message) : [];
    const complaint = () => [error.message.replace(/[.。]$/, ''), ...details].join(': ');
    show(data ? data.message : complaint(), data ? 'good' : 'bad');
    form.hidden = Boolean(data);
    if (data) history.replaceState(null, '', location.pathname);
    button.disabled = false;
  } catch {
    show(form.dataset.failed, 'bad');
    button.disabled = false;
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

/** GET /verify-email: where the link of the mail leads. */
export const verifyEmailPage = defineRoute({
  ...common,
  operationId: 'getVerifyEmailPage',
  path: '/verify-email',
  summary: 'Verify an e-mail address',
  async handle({ locale }) {
    const text = pageTexts[locale];
    const content = html`
<h1>${text.verifyTitle}</h1>
<noscript><p class="bad">${text.needsScript}</p></noscript>
<form data-action="/v1/auth/verify-email" data-no-token="${text.noToken}" data-failed="${text.failed}">
<p>${text.verifyAsk}</p>
<p><button>${text.verifyButton}</button></p>
</form>
<p><output></output></p>`;
    return renderPage({ title: text.verifyTitle, locale, content, script });
  },
});

/** GET /reset-password: where the link of the mail leads. */
export const resetPasswordPage = defineRoute({
  ...common,
  operationId: 'getResetPasswordPage',
  path: '/reset-password',
  summary: 'Set a new password',
  async handle({ locale }) {
    const text = pageTexts[locale];
    const content = html`
<h1>${text.resetTitle}</h1>
<noscript><p class="bad">${text.needsScript}</p></noscript>
<form data-action="/v1/auth/password/reset" data-no-token="${text.noToken}" data-failed="${text.failed}">
<p>${text.resetAsk}</p>
<p><label>${text.newPassword}<br><input type="password" name="password" autocomplete="new-password" required minlength="${MIN_PASSWORD_LENGTH}" maxlength="${MAX_PASSWORD_LENGTH}"></label></p>
<p><button>${text.resetButton}</button></p>
</form>
<p><output></output></p>`;
    return renderPage({ title: text.resetTitle, locale, content, script });
  },
});
