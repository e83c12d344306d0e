import type { CredentialSource } from '../../authentication/index.js';
import { ApiKeys } from './api-keys.js';
import type { TokensOptions } from './ledger.js';
import { PersonalTokens } from './personal-tokens.js';
import { apiKeySource, personalTokenSource } from './sources.js';

/** API keys and personal access tokens. */
export class Tokens {
  readonly apiKeys: ApiKeys;
  readonly personal: PersonalTokens;
  /** Where requests that carry one are told whose it is. */
  readonly sources: readonly CredentialSource[];

  constructor(options: TokensOptions) {
    this.apiKeys = new ApiKeys(options);
    this.personal = new PersonalTokens(options);
    this.sources = [apiKeySource(options), personalTokenSource(options)];
  }
}

declare module '../../http/route.js' {
  interface Services {
    readonly tokens: Tokens;
  }
}
