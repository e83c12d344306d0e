import { needsFreshSession, needsVerifiedEmail } from '../access.js';
import type { AnyRoute, Auth } from '../route.js';
import type { JsonObject } from './openapi-components.js';

/** The three kinds of bearer credentials (API specification 5): on the wire one header, `Authorization: Bearer …`. */
export const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'Access token of a login or registration: a JWT, valid for 15 minutes, with every scope (`admin` for administrators only). Refresh it with the refresh token from the same response.',
  },
  personalAccessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_pat_…',
    description:
      'Token that acts as its user, with the scopes chosen for it; it always has `account`. The token of an administrator has `admin` only if that scope was requested by name. Use it in your own scripts.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk_live_… or sk_test_…',
    description:
      'Key of a program, for use between servers; never put a key in a web page or an app. `sk_test_` keys see only what test keys created. A key never has the scope `account`, and never has administrator rights.',
  },
} as const satisfies JsonObject;

type Scheme = keyof typeof securitySchemes;

const everyScheme: readonly Scheme[] = ['accessToken', 'personalAccessToken', 'apiKey'];
const ownSchemes: readonly Scheme[] = ['accessToken', 'personalAccessToken'];

/** Credentials that are accepted: each alone, with the scope or role it must have (OpenAPI 3.1, security requirement). */
export function securityOf({ auth }: AnyRoute): JsonObject[] {
  const requirements: Auth = auth;
  switch (requirements.kind) {
    case 'none':
      return [];
    case 'public':
      return [{}, ...requirementsOf(requirements.scope)];
    case 'scope':
      return requirementsOf(requirements.scope);
    case 'any':
      return requirementsOf(undefined);
    case 'session':
      return [{ accessToken: [] }];
    case 'admin':
      return requirementsOf('admin');
  }
}

const FRESH =
  'A session must be fresh: signed in to, or confirmed by `POST /v1/auth/step-up`, in the last ten minutes; otherwise 401 AUTH_2FA_REQUIRED, whose `error.meta` names the factors.';

/** Sentence that describes the credentials of an operation. */
export function accessSentence(route: AnyRoute): string {
  const sentence = [sentenceOf(route.auth), ...(needsFreshSession(route) ? [FRESH] : [])].join(' ');
  if (!needsVerifiedEmail(route)) return sentence;
  const subject =
    route.auth.kind === 'public' ? 'The e-mail address of a caller with an account' : "The account's e-mail address";
  return `${sentence} ${subject} must be verified.`;
}

function requirementsOf(role: string | undefined): JsonObject[] {
  const schemes = role === 'account' || role === 'admin' ? ownSchemes : everyScheme;
  return schemes.map((scheme) => ({ [scheme]: role === undefined ? [] : [role] }));
}

function sentenceOf(auth: Auth): string {
  switch (auth.kind) {
    case 'none':
      return 'No credentials are required.';
    case 'public':
      return auth.scope === undefined
        ? 'No credentials are required; credentials that are sent must be valid.'
        : `No credentials are required; credentials that are sent must be valid and have the scope \`${auth.scope}\`.`;
    case 'scope': {
      const needed =
        auth.scope === 'account'
          ? 'Requires an access token, or a personal access token with the scope `account`; an API key never has it.'
          : `Requires credentials with the scope \`${auth.scope}\`.`;
      return auth.handsOut === undefined ? needed : `${needed} ${handsOutSentence(auth.handsOut)}`;
    }
    case 'any':
      return `Requires credentials with at least one of the scopes ${auth.of.map((scope) => `\`${scope}\``).join(', ')}.`;
    case 'session':
      return 'Requires the access token of a login.';
    case 'admin':
      return 'Requires the access token of an administrator, or an administrator’s personal access token with the scope `admin`.';
  }
}

function handsOutSentence(scopes: readonly string[]): string {
  const listed = scopes.filter((scope) => scope !== 'admin').map((scope) => `\`${scope}\``);
  const ofAdministrators = scopes.includes('admin') ? ', and those of an administrator `admin`' : '';
  return `The response gives access to what other scopes protect, so the credentials must also have ${listed.join(' and ')}${ofAdministrators}.`;
}
