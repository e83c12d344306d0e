import type { CredentialSource } from '../../authentication/index.js';
import { ApiKeys } from './api-keys.js';
import type { TokensOptions } from './ledger.js';
import { PersonalTokens } from './personal-tokens.js';
import { apiKeySource, personalTokenSource } from './sources.js';
import { deleteTokensEndedBefore } from './store.js';

/** Time for which lists show an ended key, so that users can find out why a program stopped. */
const KEPT_AFTER_END_MS = 90 * 24 * 3_600_000;

/** API keys and personal access tokens. */
export class Tokens {
  readonly apiKeys: ApiKeys;
  readonly personal: PersonalTokens;
  /** Sources that authenticate requests with these credentials. */
  readonly sources: readonly CredentialSource[];

  constructor(private readonly options: TokensOptions) {
    this.apiKeys = new ApiKeys(options);
    this.personal = new PersonalTokens(options);
    this.sources = [apiKeySource(options), personalTokenSource(options)];
  }

  /** Deletes keys and tokens that were revoked or expired more than 90 days ago. */
  deleteOutdated(): Promise<void> {
    const { db, clock } = this.options;
    return deleteTokensEndedBefore(db, new Date(clock.now() - KEPT_AFTER_END_MS));
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly tokens: Tokens;
  }
}
