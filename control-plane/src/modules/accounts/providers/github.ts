import { compileSchema } from '@vantage/shared/validation.js';
import * as openid from 'openid-client';
import { Type } from 'typebox';
import type { GithubSettings } from '../../../config/oauth-settings.js';
import type { OutboundFetch } from '../../../deliver/index.js';
import { ProviderError, type ProviderKind } from './provider-kind.js';

// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps: OAuth 2 with PKCE, without
// discovery and ID tokens; https://docs.github.com/en/rest/users

const checkUser = compileSchema(Type.Object({ id: Type.Integer(), login: Type.String() }));
const checkEmails = compileSchema(
  Type.Array(Type.Object({ email: Type.String(), primary: Type.Boolean(), verified: Type.Boolean() })),
);

/** GitHub, or an installation of GitHub Enterprise at `baseUrl`. */
export function githubKind({ client_id, client_secret }: GithubSettings, baseUrl: string): ProviderKind {
  const { origin, host } = new URL(baseUrl);
  const api = /(?:^|\.)(?:github|ghe)\.com$/.test(host) ? `https://api.${host}` : `${origin}/api/v3`;
  return {
    scope: 'read:user user:email',
    hasIdToken: false,
    async configure(fetch) {
      const server = {
        issuer: `${origin}/login/oauth`,
        authorization_endpoint: `${origin}/login/oauth/authorize`,
        token_endpoint: `${origin}/login/oauth/access_token`,
      };
      const configuration = new openid.Configuration(
        server,
        client_id,
        undefined,
        openid.ClientSecretPost(client_secret),
      );
      configuration[openid.customFetch] = withStatus(fetch);
      if (origin.startsWith('http:')) openid.allowInsecureRequests(configuration);
      return configuration;
    },
    async describe({ access_token }, { fetch }) {
      const read = async (path: string): Promise<unknown> => {
        const headers = { authorization: `Bearer ${access_token}`, accept: 'application/vnd.github+json' };
        const response = await fetch(`${api}${path}`, { method: 'GET', headers });
        if (response.status !== 200) throw new ProviderError(true, `${path} responded with status ${response.status}`);
        return response.json();
      };
      const user = checkUser(await read('/user'));
      const emails = checkEmails(await read('/user/emails'));
      if (!user.ok || !emails.ok) throw new ProviderError(true, 'described no user');
      const email = emails.value.find(({ primary, verified }) => primary && verified)?.email ?? null;
      return { subject: String(user.value.id), label: user.value.login, email };
    },
  };
}

/** GitHub reports errors of its token endpoint with status 200, where RFC 6749 section 5.2 has 400. */
function withStatus(fetch: OutboundFetch): OutboundFetch {
  return async (url, request) => {
    const response = await fetch(url, request);
    const body = await response.text();
    const isError = response.status === 200 && !body.includes('"access_token"');
    const status = isError ? 400 : response.status;
    return new Response(body, { status, headers: response.headers });
  };
}
