import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { makeToken, maskToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Static } from 'typebox';
import type { Actor } from '../../audit-log/actor.js';
import { ApiError } from '../../http/errors.js';
import { defaultTokenScopes, type Scope } from '../../http/scopes.js';
import { checkExpiry } from './expiry.js';
import { type Grantor, refuseBroader } from './grantor.js';
import { TokenLedger, type TokensOptions } from './ledger.js';
import { PERSONAL_TOKEN_DAYS, type PersonalTokenCreateSchema, type PersonalTokenSchema } from './schema.js';
import { insertPersonalToken, listAllPersonalTokens, listPersonalTokens, type PersonalTokenRow } from './store.js';

/** A token as the API shows it. */
export type PersonalToken = Static<typeof PersonalTokenSchema>;
type PersonalTokenRequest = Static<typeof PersonalTokenCreateSchema>;

/** User who creates a token for themselves. */
interface TokenMaker extends Grantor {
  readonly userId: string;
}

/** Tokens that act as their user. */
export class PersonalTokens {
  readonly #ledger: TokenLedger;

  constructor(private readonly options: TokensOptions) {
    this.#ledger = new TokenLedger(options, {
      table: 'personal_access_tokens',
      created: 'token.created',
      revoked: 'token.revoked',
      missing: 'PAT_NOT_FOUND',
    });
  }

  /**
   * Creates a token; `token` is the secret, shown only once.
   * @throws ApiError FORBIDDEN, VALIDATION_FAILED, TOKEN_LIMIT_EXCEEDED
   */
  async create(
    grantor: TokenMaker,
    request: PersonalTokenRequest,
    actor: Actor,
  ): Promise<PersonalToken & { token: string }> {
    const scopes: Scope[] =
      request.scopes === undefined ? [...defaultTokenScopes] : [...new Set([...request.scopes, 'account' as const])];
    refuseBroader(scopes, grantor);
    const nowMs = this.options.clock.now();
    const expiry = checkExpiry(request, { nowMs, maxDays: PERSONAL_TOKEN_DAYS });
    if (!expiry.ok) throw new ApiError('VALIDATION_FAILED', { details: expiry.details });
    const { token: secret, tokenId, secretHash } = makeToken(tokenPrefixes.personalAccess);
    const { name } = request;
    const token = {
      id: newId(idPrefixes.personalAccessToken, nowMs),
      token_id: tokenId,
      secret_hash: secretHash,
      name,
      scopes,
      created_at: new Date(nowMs),
      expires_at: expiry.value,
    };
    const row = await this.#ledger.issue({
      token,
      holderId: grantor.userId,
      actor,
      facts: { name, scopes, expires_at: expiry.value },
      insert: (trx) => insertPersonalToken(trx, { ...token, user_id: grantor.userId }),
    });
    return { ...toPersonalToken(row), token: secret };
  }

  /** Lists a user's tokens, newest first, including revoked ones. */
  async list(
    userId: string,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ tokens: PersonalToken[]; total: number }> {
    const { db } = this.options;
    const { rows, total } = await listPersonalTokens(db, userId, slice);
    return { tokens: rows.map(toPersonalToken), total };
  }

  /** Lists the tokens of all users, newest first, for the operator; `user` is the e-mail address of the user. */
  async listAll(): Promise<(PersonalToken & { user: string | null })[]> {
    const rows = await listAllPersonalTokens(this.options.db);
    return rows.map((row) => ({ ...toPersonalToken(row), user: row.email }));
  }

  /**
   * Revokes a user's token (null for any user's) at once, on every replica; no effect on a revoked one.
   * @throws ApiError PAT_NOT_FOUND
   */
  revoke(id: string, userId: string | null, actor: Actor): Promise<void> {
    return this.#ledger.revoke(id, userId, actor);
  }
}

function toPersonalToken(row: PersonalTokenRow): PersonalToken {
  return {
    id: row.id,
    name: row.name,
    token_prefix: maskToken(tokenPrefixes.personalAccess, row.token_id),
    scopes: row.scopes,
    status: row.revoked_at === null ? 'active' : 'revoked',
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
