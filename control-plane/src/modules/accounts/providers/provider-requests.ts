import type { Knex } from 'knex';
import * as openid from 'openid-client';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { Logger } from '../../../runtime/log.js';
import { type Challenges, challengeKinds } from '../sign-in/challenges.js';
import type { Provider, RequestSecrets } from './provider.js';
import { type ExternalPerson, ProviderError } from './provider-kind.js';

const kind = 'provider_request';

/** Time in which a person can sign in at a provider, in seconds. */
export const REQUEST_SECONDS = challengeKinds[kind].lifeMs / 1_000;

export interface ProviderRequestsOptions {
  readonly db: Knex;
  readonly log: Logger;
  readonly challenges: Challenges;
  readonly providers: readonly Provider[];
  readonly publicUrl: string;
  /** Addresses of clients that providers may send the browser to. */
  readonly redirects: readonly string[];
  /** Seals what binds a response to its request. */
  readonly sealer: Sealer;
}

/** Session whose person links an external account. */
export interface LinkingSession {
  readonly userId: string;
  readonly sessionId: string;
}

/** Facts about a request that is under way, sealed in its challenge. */
interface Request extends RequestSecrets {
  readonly provider: string;
  readonly redirectUri: string;
  /** Session of a person who links; null for a sign-in. */
  readonly sessionId: string | null;
}

/** Parameters with which a provider sent the browser back, and the challenge of the client that started. */
export interface CallbackAnswer {
  readonly challenge: string;
  readonly state: string;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  /** RFC 6749 section 4.1.2.1, in place of a code. */
  readonly error?: string | undefined;
}

/** Sends people to providers, and takes them back: each response belongs to one request of one client, and works once. */
export class ProviderRequests {
  constructor(private readonly options: ProviderRequestsOptions) {}

  /** Provider with this id. @throws ApiError NOT_FOUND */
  get(id: string): Provider {
    const provider = this.options.providers.find((known) => known.id === id);
    if (provider === undefined) throw new ApiError('NOT_FOUND');
    return provider;
  }

  /** Name of a provider, for people: its id if it is no longer configured. */
  nameOf(id: string): string {
    return this.options.providers.find((known) => known.id === id)?.name ?? id;
  }

  /** Starts a request. @throws ApiError VALIDATION_FAILED, UNAVAILABLE */
  async start(
    provider: Provider,
    { redirectUri, session }: { readonly redirectUri?: string | undefined; readonly session: LinkingSession | null },
  ): Promise<{ authorizationUrl: string; challenge: string }> {
    const { db, challenges, sealer } = this.options;
    const request: Request = {
      provider: provider.id,
      redirectUri: this.#redirectUri(provider, redirectUri),
      sessionId: session?.sessionId ?? null,
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      codeVerifier: openid.randomPKCECodeVerifier(),
    };
    const authorizationUrl = await this.#ask(provider, () => provider.authorizationUrl(request.redirectUri, request));
    const sealed = sealer.seal(Buffer.from(JSON.stringify(request))).toString('base64');
    const challenge = await challenges.open(db, { kind, userId: session?.userId ?? null, facts: { sealed } });
    return { authorizationUrl, challenge };
  }

  /**
   * Ends a request: the person who signed in at the provider, and the user who links; null for a sign-in. Refusals are in the audit log.
   * @throws ApiError AUTH_OAUTH_STATE_INVALID, FORBIDDEN when the person declined, UNAVAILABLE
   */
  async end(
    provider: Provider,
    answer: CallbackAnswer,
    { sessionId, actor }: { readonly sessionId: string | null; readonly actor: Actor },
  ): Promise<{ person: ExternalPerson; linkTo: string | null }> {
    try {
      const { request, userId } = await this.#use(provider, answer, sessionId);
      const { code, state, iss, error } = answer;
      if (error !== undefined) throw declined(error);
      const response = { code: code ?? '', state, iss };
      const person = await this.#ask(provider, () => provider.identify(request.redirectUri, response, request));
      return { person, linkTo: request.sessionId === null ? null : userId };
    } catch (error) {
      if (error instanceof ApiError) await this.refuse(this.options.db, { provider, actor, error });
      throw error;
    }
  }

  /** Writes a refusal into the audit log, and returns its error. */
  async refuse(
    db: Knex,
    { provider, actor, error }: { readonly provider: Provider; readonly actor: Actor; readonly error: ApiError },
  ): Promise<ApiError> {
    await insertAuditEntry(db, {
      actor,
      accountId: actor.userId,
      action: 'session.refused',
      subject: actor.userId ?? 'unknown',
      details: { what: provider.id, code: error.code },
    });
    return error;
  }

  /** Uses up the challenge of a response, if it belongs to this provider, state and session. @throws ApiError AUTH_OAUTH_STATE_INVALID */
  #use(
    provider: Provider,
    { challenge: token, state }: CallbackAnswer,
    sessionId: string | null,
  ): Promise<{ request: Request; userId: string }> {
    const { db, challenges, sealer } = this.options;
    return db.transaction(async (trx) => {
      const challenge = await challenges.find(trx, kind, token);
      const sealed = Buffer.from(String(challenge.data['sealed']), 'base64');
      const request: Request = JSON.parse(sealer.open(sealed).toString());
      const isOfSession = request.sessionId === null || request.sessionId === sessionId;
      if (request.provider !== provider.id || request.state !== state || !isOfSession)
        throw new ApiError(challengeKinds[kind].invalid);
      await challenges.use(trx, challenge);
      return { request, userId: challenge.userId };
    });
  }

  #redirectUri({ id }: Provider, given: string | undefined): string {
    const { publicUrl, redirects } = this.options;
    const page = `${publicUrl}/sign-in/oauth/${id}/callback`;
    if (given === undefined || given === page) return page;
    const known = redirects.find((redirect) => URL.canParse(given) && redirect === new URL(given).href);
    if (known !== undefined) return known;
    throw fieldError('redirect_uri', 'refused', `must be ${page}, or an address of VANTAGE_OAUTH_REDIRECTS`);
  }

  async #ask<R>(provider: Provider, work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.options.log.warn(
        { provider: provider.id, reason: error.message },
        'cannot identify a person by an external provider',
      );
      throw error.isAway ? away() : new ApiError(challengeKinds[kind].invalid);
    }
  }
}

function declined(error: string): ApiError {
  if (error !== 'access_denied') return away();
  const message = 'was declined at the provider; start again, or sign in another way';
  return new ApiError('FORBIDDEN', { details: { sign_in: [{ code: 'refused', message }] } });
}

function away(): ApiError {
  const message = 'does not work at the moment; start again later, or sign in another way';
  return new ApiError('UNAVAILABLE', { details: { provider: [{ code: 'refused', message }] } });
}
