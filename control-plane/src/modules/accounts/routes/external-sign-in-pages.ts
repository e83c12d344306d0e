import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute, type RawReply } from '../../../http/route.js';
import { type AccountPageRequest, type AccountPages, refusalHtml } from '../pages/account-pages.js';
import { accountTexts } from '../pages/account-texts.js';
import { HOME_OF_ACCOUNTS } from '../pages/next.js';
import { signInLimit } from './limits.js';
import { signInBy } from './sign-in-by.js';

const page = {
  tag: 'Pages',
  method: 'GET',
  auth: { kind: 'none' },
  replyKind: 'html',
  isDocumented: false,
  limit: signInLimit,
  params: Type.Object({ provider: Type.String({ maxLength: 64 }) }),
  replies: Object.fromEntries([200, 303, 400, 401, 403, 404, 409, 429, 503].map((status) => [status, Type.String()])),
  errors: [],
} as const;

/** GET /sign-in/oauth/{provider}: leads to an external provider. With `?link` to link its account to that of the session. */
const start = defineRoute({
  ...page,
  operationId: 'getSignInProviderPage',
  path: '/sign-in/oauth/{provider}',
  summary: 'Sign in by an external provider',
  async handle(request, { accounts: { pages } }) {
    const { provider } = request.params;
    try {
      const visitor = parametersOf(request).has('link') ? await pages.linking(request) : null;
      if (visitor !== null && 'raw' in visitor) return visitor;
      const { authorizationUrl, challenge } = await pages.externalSignIn.start(provider, { session: visitor });
      const cookies = [pages.newDetourCookie(request, challenge)];
      return {
        status: 303,
        raw: { contentType: 'text/html; charset=utf-8', body: '' },
        headers: { Location: authorizationUrl },
        cookies,
      };
    } catch (error) {
      return refused(request, pages, error);
    }
  },
});

/** GET /sign-in/oauth/{provider}/callback: the browser comes back from the provider. */
const callback = defineRoute({
  ...page,
  operationId: 'getSignInProviderCallbackPage',
  path: '/sign-in/oauth/{provider}/callback',
  summary: 'Come back from an external provider',
  async handle(request, { accounts: { pages } }) {
    const { provider } = request.params;
    const query = parametersOf(request);
    const given = (name: string) => query.get(name) ?? undefined;
    const answer = {
      challenge: pages.signInCookieOf(request) ?? '',
      state: query.get('state') ?? '',
      code: given('code'),
      iss: given('iss'),
      error: given('error'),
    };
    try {
      const visitor = await pages.visitor(request);
      const by = { ...signInBy(request), sessionId: visitor?.sessionId ?? null, locale: request.locale };
      return await pages.signedIn(request, async () => {
        const result = await pages.externalSignIn.finish(provider, answer, by);
        return 'linked' in result ? null : result.signedIn;
      });
    } catch (error) {
      return refused(request, pages, error);
    }
  },
});

export const externalSignInPages = [start, callback];

/** The refusal as a page that leads back to where the way to the provider started. @throws what is no refusal */
async function refused(request: AccountPageRequest, pages: AccountPages, error: unknown): Promise<RawReply> {
  if (!(error instanceof ApiError)) throw error;
  const text = accountTexts[request.locale];
  const isSignedIn = (await pages.visitor(request)) !== null;
  const back = isSignedIn
    ? html`<a href="${HOME_OF_ACCOUNTS}">${text.security}</a>`
    : html`<a href="/sign-in?next=${encodeURIComponent(pages.nextOf(request))}">${text.back}</a>`;
  const title = isSignedIn ? text.identities : text.signIn;
  const content = html`<h1>${title}</h1>
${refusalHtml(error, request.locale)}
<p>${back}</p>`;
  return renderPage(request, { error, title, content });
}

function parametersOf({ url }: AccountPageRequest): URLSearchParams {
  return new URLSearchParams(url.split('?')[1]);
}
