import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { makeToken, maskToken } from '@vantage/shared/tokens.js';
import type { Static } from 'typebox';
import type { Actor } from '../../actor.js';
import { ApiError } from '../../http/errors.js';
import { broadScopes } from '../../http/scopes.js';
import { checkExpiry, daysFrom } from './expiry.js';
import { type Grantor, refuseBroader } from './grantor.js';
import { TokenLedger, type TokensOptions } from './ledger.js';
import { checkOrigins } from './origins.js';
import { API_KEY_DAYS, type ApiKeyCreateSchema, type ApiKeySchema } from './schema.js';
import { apiKeyPrefixes } from './sources.js';
import { type ApiKeyRow, countTokens, insertApiKey, listApiKeys } from './store.js';

/** A key as the API shows it. */
export type ApiKey = Static<typeof ApiKeySchema>;
type ApiKeyRequest = Static<typeof ApiKeyCreateSchema>;

/** Keys of programs that use the API. */
export class ApiKeys {
  readonly #ledger: TokenLedger;

  constructor(private readonly options: TokensOptions) {
    this.#ledger = new TokenLedger(options, {
      table: 'api_keys',
      created: 'api_key.created',
      revoked: 'api_key.revoked',
      missing: 'API_KEY_NOT_FOUND',
    });
  }

  /** Makes a key; it is in `key` this once. @throws ApiError FORBIDDEN, VALIDATION_FAILED, TOKEN_LIMIT_EXCEEDED */
  async create(grantor: Grantor, request: ApiKeyRequest, actor: Actor): Promise<ApiKey & { key: string }> {
    const scopes = request.scopes?.length ? request.scopes : broadScopes;
    refuseBroader(scopes, grantor);
    const nowMs = this.options.clock.now();
    const { expiresAt, origins } = checkRequest(request, nowMs);
    const { name, type = 'production' } = request;
    const { token: key, tokenId, secretHash } = makeToken(apiKeyPrefixes[type]);
    const token = {
      id: newId(idPrefixes.apiKey, nowMs),
      token_id: tokenId,
      secret_hash: secretHash,
      user_id: grantor.userId,
      name,
      scopes,
      created_at: new Date(nowMs),
      expires_at: expiresAt,
    };
    const row = await this.#ledger.issue({
      token,
      actor,
      facts: { name, type, scopes, expires_at: expiresAt },
      insert: (trx) => insertApiKey(trx, { ...token, type, allowed_origins: origins }),
    });
    return { ...toApiKey(row), key };
  }

  /** A user's keys, newest first, revoked ones among them. */
  async list(
    userId: string,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ keys: ApiKey[]; total: number }> {
    const { db } = this.options;
    const rows = await listApiKeys(db, userId, slice);
    return { keys: rows.map(toApiKey), total: await countTokens(db, 'api_keys', userId) };
  }

  /** Revokes a user's key, on every replica at once; again it does nothing. @throws ApiError API_KEY_NOT_FOUND */
  revoke(id: string, userId: string, actor: Actor): Promise<void> {
    return this.#ledger.revoke(id, userId, actor);
  }
}

/** @throws ApiError VALIDATION_FAILED with all that is wrong */
function checkRequest(request: ApiKeyRequest, nowMs: number): { expiresAt: Date; origins: string[] } {
  const expiry = checkExpiry(request, { nowMs, maxDays: API_KEY_DAYS });
  const origins = checkOrigins(request.allowed_origins ?? []);
  if (expiry.ok && origins.ok) {
    return { expiresAt: expiry.value ?? daysFrom(nowMs, API_KEY_DAYS), origins: origins.value };
  }
  const details = { ...(expiry.ok ? {} : expiry.details), ...(origins.ok ? {} : origins.details) };
  throw new ApiError('VALIDATION_FAILED', { details });
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    key_prefix: maskToken(apiKeyPrefixes[row.type], row.token_id),
    type: row.type,
    scopes: row.scopes,
    allowed_origins: row.allowed_origins,
    status: row.revoked_at === null ? 'active' : 'revoked',
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
