import type * as openid from 'openid-client';
import type { OutboundFetch } from '../../../deliver/index.js';

/** A person as a provider describes them. */
export interface ExternalPerson {
  /** Id that never changes and is never given to another person. */
  readonly subject: string;
  /** Name or address, for people; null if the provider shows none. */
  readonly label: string | null;
  /** Address that the provider calls verified, as it is written there; null if there is none. */
  readonly email: string | null;
}

/** Differences between kinds of providers. */
export interface ProviderKind {
  readonly scope: string;
  readonly hasIdToken: boolean;
  /** Reads or makes the metadata of the provider. */
  configure(fetch: OutboundFetch): Promise<openid.Configuration>;
  /** Person whom the tokens are about. */
  describe(tokens: ProviderTokens, context: KindContext): Promise<ExternalPerson>;
}

export type ProviderTokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

/** Access to a provider, for more facts about a person. */
export interface KindContext {
  readonly configuration: openid.Configuration;
  readonly fetch: OutboundFetch;
}

/** A provider did not identify a person. `isAway`: it cannot be reached or is broken; else it refused the response as it was sent here. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  constructor(
    readonly isAway: boolean,
    message: string,
  ) {
    super(message);
  }
}
