import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute, type RawReply, type Services } from '../../../http/route.js';
import { type AccountPageRequest, redirect, refusalHtml } from '../pages/account-pages.js';
import { accountTexts } from '../pages/account-texts.js';
import { FORM_BYTES } from '../pages/page-forms.js';
import { passkeyAnswer, passkeyForm, passkeyScript } from '../pages/passkey-form.js';
import { passkeyTexts } from '../pages/passkey-texts.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';
import { queryOf } from './sign-in-pages.js';

const PATH = '/sign-in/passkey';

const page = {
  path: PATH,
  summary: 'Sign in with a passkey',
  tag: 'Pages',
  auth: { kind: 'none' },
  replyKind: 'html',
  isDocumented: false,
  limit: signInLimit,
  replies: Object.fromEntries([200, 303, 400, 401, 403, 422, 429].map((status) => [status, Type.String()])),
} as const;

/** GET and POST /sign-in/passkey. */
export const passkeyPages = [
  defineRoute({
    ...page,
    operationId: 'getSignInPasskeyPage',
    method: 'GET',
    errors: ['VALIDATION_FAILED'],
    async handle(request, services) {
      const { pages } = services.accounts;
      if ((await pages.visitor(request)) !== null) return redirect(request, pages.nextOf(request));
      return show(request, services, null);
    },
  }),
  defineRoute({
    ...page,
    operationId: 'postSignInPasskeyPage',
    method: 'POST',
    rawBody: { keepBytes: FORM_BYTES },
    errors: ['FORBIDDEN', 'VALIDATION_FAILED'],
    async handle(request, services) {
      const { pages } = services.accounts;
      const fields = pages.readForm(request, pages.signInCookieOf(request));
      try {
        return await pages.signedIn(request, () => pages.passkeySignIn.login(passkeyAnswer(fields), signInBy(request)));
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        return show(request, services, error);
      }
    },
  }),
];

async function show(
  request: AccountPageRequest,
  { accounts: { pages, passkeyCheck } }: Services,
  error: ApiError | null,
): Promise<RawReply> {
  const text = passkeyTexts[request.locale];
  const { cookie, cookies } = pages.signInCookie(request);
  const form = passkeyForm(await passkeyCheck.start(), {
    action: `${PATH}${queryOf(request)}`,
    kind: 'get',
    fields: pages.formToken(PATH, cookie),
    button: text.use,
    text,
  });
  const content = html`<h1>${text.title}</h1>
${refusalHtml(error, request.locale)}
<p>${text.ask}</p>
${form}
<p><a href="/sign-in${queryOf(request)}">${accountTexts[request.locale].back}</a></p>`;
  return { ...renderPage(request, { error, title: text.title, content, script: passkeyScript }), cookies };
}
