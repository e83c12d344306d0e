import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { type Html, html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute, type RawReply, type Services } from '../../../http/route.js';
import { type AccountPageRequest, redirect, refusalHtml } from '../pages/account-pages.js';
import { type AccountTexts, accountTexts } from '../pages/account-texts.js';
import { FORM_BYTES } from '../pages/page-forms.js';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../passwords/passwords.js';
import { messages } from '../profile/messages.js';
import { registrationLimit, signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';

const page = {
  tag: 'Pages',
  auth: { kind: 'none' },
  replyKind: 'html',
  isDocumented: false,
} as const;

const replies = Object.fromEntries([200, 303, 400, 401, 403, 409, 429].map((status) => [status, Type.String()]));

/** A form that is shown by GET and sent by POST to the same path; a refusal is the form again. */
interface FormPage {
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly limit: typeof signInLimit;
  readonly title: keyof AccountTexts & ('signIn' | 'signUp' | 'factorTitle' | 'forgotTitle' | 'codeTitle');
  /** Content of the form and what is below it. `fields`: those that were sent. */
  content(of: Shown): Html;
  /** Null: the form is shown again, for its next step. */
  send(fields: URLSearchParams, request: AccountPageRequest, services: Services): Promise<RawReply | Html | null>;
}

interface Shown {
  readonly text: AccountTexts;
  readonly fields: URLSearchParams;
  readonly request: AccountPageRequest;
  readonly services: Services;
  /** The form around its content: `action` is the address of the page. */
  form(content: Html): Html;
}

const formPages: readonly FormPage[] = [
  {
    path: '/sign-in',
    name: 'SignIn',
    summary: 'Sign in',
    limit: signInLimit,
    title: 'signIn',
    content: ({ text, fields, services, form, request }) => html`
${form(html`${emailField(text, fields)}
${passwordField(text, 'current-password', fields)}
<button>${text.signIn}</button>`)}
<p><a href="/forgot-password">${text.forgot}</a></p>
${otherWays(text, services, request)}
${services.accounts.methods.registration && html`<p>${text.noAccount} <a href="/sign-up${queryOf(request)}">${text.newAccount}</a></p>`}`,
    async send(fields, request, { accounts: { pages } }) {
      const [email, password] = [fields.get('email') ?? '', fields.get('password') ?? ''];
      return pages.signedIn(request, () => pages.signIn.login({ email, password, ...signInBy(request) }));
    },
  },
  {
    path: '/sign-in/factor',
    name: 'SignInFactor',
    summary: 'Second step of a sign-in',
    limit: signInLimit,
    title: 'factorTitle',
    content: ({ text, form, request }) => html`
<p>${text.factorAsk}</p>
${form(html`<label>${text.code}<input name="otp" autocomplete="one-time-code" required autofocus maxlength="32" spellcheck="false"></label>
<button>${text.go}</button>`)}
<p><a href="/sign-in${queryOf(request)}">${text.again}</a></p>`,
    async send(fields, request, { accounts: { pages } }) {
      const challenge = pages.signInCookieOf(request) ?? '';
      const answer = { challenge, otp: fields.get('otp') ?? '' };
      return pages.signedIn(request, () => pages.completion.answer(answer, signInBy(request)));
    },
  },
  {
    path: '/sign-in/code',
    name: 'SignInCode',
    summary: 'Sign in with a mailed code',
    limit: signInLimit,
    title: 'codeTitle',
    content: ({ text, fields, form, request, services }) => {
      const email = fields.get('email') ?? '';
      // the address stays in the form: addresses of pages are logged
      const keptEmail = html`<input type="hidden" name="email" value="${email}">`;
      const again = html`<p><a href="/sign-in${queryOf(request)}">${text.back}</a></p>`;
      if (fields.get('act') !== 'enter')
        return html`<p>${text.codeAsk}</p>
${form(html`${emailField(text, fields)}
<button>${text.codeSend}</button>`)}
${again}`;
      const { sendsMail } = services.accounts;
      return html`<p role="status">${sendsMail ? text.codeSent(email) : messages.codeNotSent[request.locale]}</p>
${form(html`${keptEmail}<input type="hidden" name="act" value="enter">
<label>${text.code}<input name="code" autocomplete="one-time-code" inputmode="numeric" required autofocus maxlength="32"></label>
<button>${text.signIn}</button>`)}
${form(html`${keptEmail}<button class="quiet">${text.codeAgain}</button>`)}
${again}`;
    },
    async send(fields, request, { accounts: { pages, emailCodes } }) {
      const [email, by] = [fields.get('email') ?? '', signInBy(request)];
      if (fields.get('act') === 'enter') {
        const code = fields.get('code') ?? '';
        return pages.signedIn(request, () => pages.emailCodeSignIn.login({ email, code, ...by }));
      }
      await emailCodes.request(email, by.actor);
      fields.set('act', 'enter');
      return null;
    },
  },
  {
    path: '/sign-up',
    name: 'SignUp',
    summary: 'Create an account',
    limit: registrationLimit,
    title: 'signUp',
    content: ({ text, fields, services, form, request }) => html`
${
  services.accounts.methods.registration
    ? form(html`${emailField(text, fields)}
${passwordField(text, 'new-password', fields)}
<p class="muted small">${text.signUpNote}</p>
<button>${text.signUp}</button>`)
    : html`<p>${text.closed}</p>`
}
<p>${text.haveAccount} <a href="/sign-in${queryOf(request)}">${text.signIn}</a></p>`,
    async send(fields, request, { accounts: { pages } }) {
      const [email, password] = [fields.get('email') ?? '', fields.get('password') ?? ''];
      const by = { email, password, ...signInBy(request) };
      return pages.signedIn(request, () => pages.signIn.register(by, request.locale));
    },
  },
  {
    path: '/forgot-password',
    name: 'ForgotPassword',
    summary: 'Request a new password',
    limit: signInLimit,
    title: 'forgotTitle',
    content: ({ text, fields, form }) => html`
<p>${text.forgotAsk}</p>
${form(html`${emailField(text, fields)}
<button>${text.send}</button>`)}
<p><a href="/sign-in">${text.back}</a></p>`,
    async send(fields, request, { accounts: { recovery, sendsMail } }) {
      const { actor } = signInBy(request);
      await recovery.requestReset(fields.get('email') ?? '', actor);
      const message = sendsMail ? messages.resetRequested : messages.resetNotSent;
      return html`<p class="good" role="status">${message[request.locale]}</p>
<p><a href="/sign-in">${accountTexts[request.locale].back}</a></p>`;
    },
  },
];

/** Pages on which people sign in, each by GET and by POST. */
export const signInPages = formPages.flatMap((form) => [
  defineRoute({
    ...page,
    operationId: `get${form.name}Page`,
    method: 'GET',
    path: form.path,
    summary: form.summary,
    replies,
    errors: [],
    async handle(request, services) {
      const { pages } = services.accounts;
      const isSignedIn = (await pages.visitor(request)) !== null;
      if (isSignedIn && form.path !== '/forgot-password') return redirect(request, pages.nextOf(request));
      return show(form, request, services, { fields: new URLSearchParams(), error: null });
    },
  }),
  defineRoute({
    ...page,
    operationId: `post${form.name}Page`,
    method: 'POST',
    path: form.path,
    summary: form.summary,
    limit: form.limit,
    rawBody: { keepBytes: FORM_BYTES },
    replies,
    errors: ['FORBIDDEN'],
    async handle(request, services) {
      const { pages } = services.accounts;
      const fields = pages.readForm(request, pages.signInCookieOf(request));
      try {
        const sent = await form.send(fields, request, services);
        if (sent === null) return show(form, request, services, { fields, error: null });
        if ('raw' in sent) return sent;
        const title = accountTexts[request.locale][form.title];
        return renderPage(request, { title, content: html`<h1>${title}</h1>${sent}` });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        return show(form, request, services, { fields, error });
      }
    },
  }),
]);

/** POST /sign-out: ends the session of the browser. */
export const signOutPage = defineRoute({
  ...page,
  operationId: 'postSignOutPage',
  method: 'POST',
  path: '/sign-out',
  summary: 'Sign out',
  rawBody: { keepBytes: FORM_BYTES },
  replies: { 303: Type.String() },
  errors: ['FORBIDDEN'],
  async handle(request, { accounts: { pages, sessions } }) {
    const visitor = await pages.visitor(request);
    // the form of another site comes without the cookie, and must not take it away
    if (visitor === null) return redirect(request, '/sign-in');
    pages.readForm(request, visitor.cookie);
    const { userId, sessionId } = visitor;
    const actor = { ...signInBy(request).actor, userId, credentialId: sessionId };
    await sessions.end(userId, sessionId, { actor, isLogout: true });
    return redirect(request, '/sign-in', pages.cleared);
  },
});

function show(
  { path, title: titleOf, content }: FormPage,
  request: AccountPageRequest,
  services: Services,
  { fields, error }: { readonly fields: URLSearchParams; readonly error: ApiError | null },
): RawReply {
  const text = accountTexts[request.locale];
  const title = text[titleOf];
  const { cookie, cookies } = services.accounts.pages.signInCookie(request);
  const form = (inner: Html) => html`<form class="stacked" method="post" action="${path}${queryOf(request)}">
${services.accounts.pages.formToken(path, cookie)}
${inner}
</form>`;
  const shown = html`<h1>${title}</h1>
${refusalHtml(error, request.locale)}
${content({ text, fields, request, services, form })}`;
  return { ...renderPage(request, { error, title, content: shown }), cookies };
}

/** Query that keeps the page to go to: `?next=…`, or nothing. */
export function queryOf({ url }: AccountPageRequest): string {
  const next = new URLSearchParams(url.split('?')[1]).get('next');
  return next === null ? '' : `?next=${encodeURIComponent(next)}`;
}

function emailField(text: AccountTexts, fields: URLSearchParams): Html {
  return html`<label>${text.email}<input type="email" name="email" value="${fields.get('email') ?? ''}" autocomplete="username" required${fields.has('email') ? null : html` autofocus`} maxlength="254"></label>`;
}

function passwordField(text: AccountTexts, kind: 'current-password' | 'new-password', fields: URLSearchParams): Html {
  // after a refusal the address stays, and the password is to be typed again
  const focus = fields.has('email') ? html` autofocus` : null;
  const least = kind === 'new-password' ? html` minlength="${MIN_PASSWORD_LENGTH}"` : null;
  return html`<label>${text.password}<input type="password" name="password" autocomplete="${kind}" required${least}${focus} maxlength="${MAX_PASSWORD_LENGTH}"></label>`;
}

/** Links to the further ways that this installation offers. */
function otherWays(text: AccountTexts, { accounts: { methods } }: Services, request: AccountPageRequest): Html | null {
  const query = queryOf(request);
  const ways = [
    ...(methods.passkey ? [html`<a href="/sign-in/passkey${query}">${text.byPasskey}</a>`] : []),
    ...(methods.email_code ? [html`<a href="/sign-in/code${query}">${text.byCode}</a>`] : []),
    ...(methods.qr ? [html`<a href="/sign-in/qr${query}">${text.byQr}</a>`] : []),
    ...methods.providers.map(
      ({ id, name }) => html`<a href="/sign-in/oauth/${encodeURIComponent(id)}${query}">${text.byProvider(name)}</a>`,
    ),
  ];
  if (ways.length === 0) return null;
  return html`<h2>${text.otherWays}</h2><ul>${ways.map((way) => html`<li>${way}</li>`)}</ul>`;
}
