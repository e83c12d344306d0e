import type { Clock } from '@vantage/shared/clock.js';
import { isSameHash, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import { type CredentialSource, toHolder } from '../../authentication/index.js';
import { findApiKey, findPersonalToken, noteUse } from './credential-store.js';

/** Prefix of API keys, by type. */
export const apiKeyPrefixes = { production: tokenPrefixes.liveApiKey, test: tokenPrefixes.testApiKey } as const;

interface SourceOptions {
  readonly db: Knex;
  /** Clock of this replica, which expiry is checked by, as it was set by one. */
  readonly clock: Clock;
}

/** Source that finds API keys. A mistyped key and an unknown one get the same response. */
export function apiKeySource({ db, clock }: SourceOptions): CredentialSource {
  return {
    kind: 'api_key',
    recognises: (token) => apiKeyPrefixOf(token) !== undefined,
    async find(token) {
      const prefix = apiKeyPrefixOf(token);
      const parsed = prefix === undefined ? null : parseToken(prefix, token);
      const row = parsed && (await findApiKey(db, parsed.tokenId));
      if (!row || !isSameHash(row.secret_hash, parsed.secretHash)) return null;
      // the prefix can be forged, with a valid checksum: the stored type decides
      if (apiKeyPrefixes[row.type] !== prefix) return null;
      return {
        id: row.id,
        kind: 'api_key',
        ...toHolder(row),
        createdBy: row.created_by,
        scopes: row.scopes,
        isTest: row.type === 'test',
        allowedOrigins: row.allowed_origins.length === 0 ? null : row.allowed_origins,
        refusal: row.revoked_at === null ? null : 'API_KEY_REVOKED',
        validForMs: validForMs(row.expires_at, clock),
      };
    },
    noteUse: (id) => noteUse(db, 'api_keys', id, new Date(clock.now())),
  };
}

/** Source that finds personal access tokens. A revoked token and an unknown one get the same response. */
export function personalTokenSource({ db, clock }: SourceOptions): CredentialSource {
  return {
    kind: 'personal_access_token',
    recognises: (token) => token.startsWith(tokenPrefixes.personalAccess),
    async find(token) {
      const parsed = parseToken(tokenPrefixes.personalAccess, token);
      const row = parsed && (await findPersonalToken(db, parsed.tokenId));
      if (!row || !isSameHash(row.secret_hash, parsed.secretHash)) return null;
      return {
        id: row.id,
        kind: 'personal_access_token',
        ...toHolder(row),
        createdBy: row.user_id,
        scopes: row.scopes,
        isTest: false,
        allowedOrigins: null,
        refusal: row.revoked_at === null ? null : 'AUTH_INVALID_TOKEN',
        validForMs: validForMs(row.expires_at, clock),
      };
    },
    noteUse: (id) => noteUse(db, 'personal_access_tokens', id, new Date(clock.now())),
  };
}

function apiKeyPrefixOf(token: string) {
  return Object.values(apiKeyPrefixes).find((prefix) => token.startsWith(prefix));
}

function validForMs(expiresAt: Date | null, clock: Clock): number | null {
  return expiresAt === null ? null : Math.max(0, expiresAt.getTime() - clock.now());
}
