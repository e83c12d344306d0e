import type { JsonObject } from './openapi-components.js';
import type { AnyRoute, Auth } from './route.js';

/** The three kinds of bearer credentials (API specification 5): on the wire one header, `Authorization: Bearer …`. */
export const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a login or registration: a JWT, valid for 15 minutes, with every scope. Refresh it with the refresh token that came with it.',
  },
  personalAccessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_pat_…',
    description:
      'A token that acts as yourself, with the scopes chosen for it; `account` is among those it can have. For scripts of your own.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_live_… or sk_test_…',
    description:
      'A key of a program, from server to server; never put one in a page or an app. `sk_test_` keys see only what test keys made. A key never has scope `account` and never administrates.',
  },
} as const satisfies JsonObject;

type Scheme = keyof typeof securitySchemes;

const everyScheme: readonly Scheme[] = ['accessToken', 'personalAccessToken', 'apiKey'];
const ownSchemes: readonly Scheme[] = ['accessToken', 'personalAccessToken'];

/** Which credentials fit: each alone, with the scope or role it must carry (OpenAPI 3.1, security requirement object). */
export function securityOf({ auth }: AnyRoute): JsonObject[] {
  const requirements: Auth = auth;
  switch (requirements.kind) {
    case 'none':
      return [];
    case 'public':
      return [{}, ...requirementsOf(requirements.scope)];
    case 'scope':
      return requirementsOf(requirements.scope);
    case 'session':
      return [{ accessToken: [] }];
    case 'admin':
      return requirementsOf('admin');
  }
}

/** The same as a sentence. */
export function accessSentence(route: AnyRoute): string {
  const sentence = sentenceOf(route.auth);
  return route.needsVerifiedEmail === true ? `${sentence} The account's e-mail address must be verified.` : sentence;
}

function requirementsOf(role: string | undefined): JsonObject[] {
  const schemes = role === 'account' || role === 'admin' ? ownSchemes : everyScheme;
  return schemes.map((scheme) => ({ [scheme]: role === undefined ? [] : [role] }));
}

function sentenceOf(auth: Auth): string {
  switch (auth.kind) {
    case 'none':
      return 'Anybody may call it.';
    case 'public':
      return auth.scope === undefined
        ? 'Anybody may call it; credentials that are sent must be valid.'
        : `Anybody may call it; credentials that are sent must be valid and have scope \`${auth.scope}\`.`;
    case 'scope':
      return auth.scope === 'account'
        ? 'Needs an access token, or a personal access token with scope `account`; an API key never has it.'
        : `Needs credentials with scope \`${auth.scope}\`.`;
    case 'session':
      return 'Needs the access token of a login.';
    case 'admin':
      return 'Needs an access token or a personal access token of an administrator.';
  }
}
