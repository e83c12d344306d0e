import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { makeToken, maskToken } from '@vantage/shared/tokens.js';
import type { Static } from 'typebox';
import type { Actor } from '../../audit-log/actor.js';
import { ApiError } from '../../http/errors.js';
import { broadScopes } from '../../http/scopes.js';
import type { Owner } from '../../owners/index.js';
import { checkExpiry, daysFrom } from './expiry.js';
import { type Grantor, refuseBroader } from './grantor.js';
import { TokenLedger, type TokensOptions } from './ledger.js';
import { checkOrigins } from './origins.js';
import { API_KEY_DAYS, type ApiKeyCreateSchema, type ApiKeySchema } from './schema.js';
import { apiKeyPrefixes } from './sources.js';
import { type ApiKeyRow, insertApiKey, listApiKeys } from './store.js';

/** A key as the API shows it. */
export type ApiKey = Static<typeof ApiKeySchema>;
type ApiKeyRequest = Static<typeof ApiKeyCreateSchema>;

/** Creator of a key, and the owner of the key. */
interface KeyMaker extends Grantor {
  readonly owner: Pick<Owner, 'id'>;
  readonly createdBy: string;
}

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

  /** Creates a key; `key` is the secret, shown only once. @throws ApiError FORBIDDEN, VALIDATION_FAILED, TOKEN_LIMIT_EXCEEDED */
  async create(grantor: KeyMaker, request: ApiKeyRequest, actor: Actor): Promise<ApiKey & { key: string }> {
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
      name,
      scopes,
      created_at: new Date(nowMs),
      expires_at: expiresAt,
    };
    const owned = { owner_id: grantor.owner.id, created_by: grantor.createdBy };
    const row = await this.#ledger.issue({
      token,
      holderId: grantor.owner.id,
      actor,
      facts: { name, type, scopes, expires_at: expiresAt },
      insert: (trx) => insertApiKey(trx, { ...token, ...owned, type, allowed_origins: origins }),
    });
    return { ...toApiKey(row), key };
  }

  /** Lists an owner's keys, newest first, including revoked ones. */
  async list(
    ownerId: string,
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ keys: ApiKey[]; total: number }> {
    const { db } = this.options;
    const { rows, total } = await listApiKeys(db, ownerId, slice);
    return { keys: rows.map(toApiKey), total };
  }

  /** Revokes an owner's key at once, on every replica; no effect on a revoked key. @throws ApiError API_KEY_NOT_FOUND */
  revoke(id: string, ownerId: string, actor: Actor): Promise<void> {
    return this.#ledger.revoke(id, ownerId, actor);
  }
}

/** Checks expiry and origins of a request. @throws ApiError VALIDATION_FAILED with all invalid fields */
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
