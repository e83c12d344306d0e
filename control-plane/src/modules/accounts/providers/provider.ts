import type { Clock } from '@vantage/shared/clock.js';
import * as openid from 'openid-client';
import type { ProviderSettings } from '../../../config/oauth-settings.js';
import { type Outbound, OutboundError, type OutboundFetch, outboundFetch } from '../../../deliver/index.js';
import { githubKind } from './github.js';
import { oidcKind } from './oidc.js';
import { type ExternalPerson, ProviderError, type ProviderKind } from './provider-kind.js';

/** Time for one request to a provider. */
const DEADLINE_MS = 5_000;
const MAX_RESPONSE_BYTES = 512 * 1_024;
/** Time after which the metadata of a provider is read again. */
const METADATA_LIFE_MS = 3_600_000;

/** One-time secrets that bind a response of a provider to the request. */
export interface RequestSecrets {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
}

/** Parameters with which a provider sends the browser back. */
export interface ProviderResponse {
  readonly code: string;
  readonly state: string;
  /** RFC 9207. */
  readonly iss?: string | undefined;
}

/** An external provider: OpenID Connect, or the OAuth 2 of GitHub. Its metadata is read when it is first needed. */
export class Provider {
  readonly id: string;
  readonly name: string;
  readonly #kind: ProviderKind;
  readonly #fetch: OutboundFetch;
  #known: { readonly configuration: Promise<openid.Configuration>; readonly untilMs: number } | null = null;

  constructor(
    settings: ProviderSettings,
    private readonly options: { readonly outbound: Pick<Outbound, 'send'>; readonly clock: Clock },
  ) {
    this.id = settings.id;
    this.name = settings.name;
    const { kind, address } = kindOf(settings);
    this.#kind = kind;
    this.#fetch = outboundFetch(options.outbound, {
      ownOrigin: new URL(address).origin,
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      secrets: [settings.client_secret],
    });
  }

  /** Address at which a person signs in. @throws ProviderError */
  async authorizationUrl(redirectUri: string, { state, nonce, codeVerifier }: RequestSecrets): Promise<string> {
    return attempt(async () => {
      const { scope, hasIdToken } = this.#kind;
      const url = openid.buildAuthorizationUrl(await this.#configuration(), {
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(hasIdToken ? { nonce } : {}),
      });
      return url.href;
    });
  }

  /** Person who signed in, by a response that belongs to these secrets. @throws ProviderError */
  async identify(redirectUri: string, response: ProviderResponse, secrets: RequestSecrets): Promise<ExternalPerson> {
    return attempt(async () => {
      const configuration = await this.#configuration();
      const { hasIdToken } = this.#kind;
      const url = new URL(redirectUri);
      for (const [name, value] of Object.entries(response)) if (value !== undefined) url.searchParams.set(name, value);
      const tokens = await openid.authorizationCodeGrant(configuration, url, {
        expectedState: secrets.state,
        pkceCodeVerifier: secrets.codeVerifier,
        ...(hasIdToken ? { expectedNonce: secrets.nonce, idTokenExpected: true } : {}),
      });
      return this.#kind.describe(tokens, { configuration, fetch: this.#fetch });
    });
  }

  #configuration(): Promise<openid.Configuration> {
    const now = this.options.clock.now();
    if (this.#known !== null && this.#known.untilMs > now) return this.#known.configuration;
    const configuration = this.#kind.configure(this.#fetch);
    const known = { configuration, untilMs: now + METADATA_LIFE_MS };
    this.#known = known;
    configuration.catch(() => {
      if (this.#known === known) this.#known = null;
    });
    return configuration;
  }
}

function kindOf(settings: ProviderSettings): { readonly kind: ProviderKind; readonly address: string } {
  if (settings.kind === 'oidc') return { kind: oidcKind(settings), address: settings.issuer };
  const { base_url: address = 'https://github.com' } = settings;
  return { kind: githubKind(settings, address), address };
}

/** Errors of a token endpoint that blame the code or what came with it (RFC 6749 section 5.2), and not this client. */
const refusals: ReadonlySet<string> = new Set(['invalid_grant', 'bad_verification_code']);
/** Errors of the library about a response that is no response of the protocol. */
const brokenResponses: ReadonlySet<unknown> = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
]);

/** Translates the errors of the library; their messages name no secret, their causes may. @throws ProviderError */
async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): unknown {
  const { cause, code } = Object(error) as { readonly cause?: unknown; readonly code?: unknown };
  const sending = error instanceof OutboundError ? error : cause;
  if (sending instanceof OutboundError) return new ProviderError(true, sending.message);
  if (error instanceof openid.ResponseBodyError)
    return new ProviderError(!refusals.has(error.error), `responded with ${error.status} "${error.error}"`);
  if (error instanceof openid.ClientError || error instanceof openid.AuthorizationResponseError)
    return new ProviderError(brokenResponses.has(code), `${error.message} (${String(code)})`);
  // a token that the provider does not accept, metadata without an address, a body that is no JSON
  const isBroken =
    error instanceof openid.WWWAuthenticateChallengeError ||
    error instanceof SyntaxError ||
    (error instanceof TypeError && code !== undefined);
  return isBroken ? new ProviderError(true, error.message) : error;
}
