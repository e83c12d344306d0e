import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../actor.js';
import { ApiError } from '../../http/errors.js';
import type { Plans } from '../../plans.js';
import { insertAuditEntry } from '../audit/index.js';
import { parsePlace } from './declared-place.js';
import { checkTokenRoom } from './enrollment-limits.js';
import {
  deleteEnrollmentToken,
  deleteEnrollmentTokensEndedBefore,
  type EnrollmentTokenRow,
  insertEnrollmentToken,
  listEnrollmentTokens,
} from './enrollment-store.js';
import type { EnrollmentTokenCreateSchema, EnrollmentTokenSchema } from './schema.js';

// What becomes of a token:
//
//   active ──claim──> used ────────30 days──┐
//     │ └──its time is over──> expired ──30 days──> gone
//     └──revoke────────────────────────────────────> gone

type TokenRequest = Static<typeof EnrollmentTokenCreateSchema>;

/** An enrollment token as lists show it. */
export type EnrollmentToken = Static<typeof EnrollmentTokenSchema>;

const HOUR_MS = 3_600_000;
const DEFAULT_VALID_HOURS = 24;
/** How long lists show a token that was used or expired. */
const KEPT_MS = 30 * 24 * HOUR_MS;

interface EnrollmentTokensOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
}

/** One-time tokens that let agents in: made, listed, revoked, forgotten. */
export class EnrollmentTokens {
  constructor(private readonly options: EnrollmentTokensOptions) {}

  /**
   * Makes a token; the secret is in `token` this once.
   * @throws ApiError VALIDATION_FAILED, FORBIDDEN, FEATURE_LOCKED, TOKEN_LIMIT_EXCEEDED
   */
  async create(
    userId: string,
    request: TokenRequest,
    actor: Actor,
  ): Promise<{ id: string; token: string; expires_at: string }> {
    if (request.sponsor_user_id !== undefined && request.sponsor_user_id !== userId) throw new ApiError('FORBIDDEN');
    const place = parsePlace(
      { country: request.country_code, province: request.declared_province },
      { country: 'country_code', province: 'declared_province' },
    );
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.enrollment);
    const nowMs = this.options.clock.now();
    const expiresAt = new Date(nowMs + (request.expires_in_hours ?? DEFAULT_VALID_HOURS) * HOUR_MS);
    const id = newId(idPrefixes.enrollmentToken, nowMs);
    await this.options.db.transaction(async (trx) => {
      await checkTokenRoom(trx, this.options.plans, { userId, nowMs });
      await insertEnrollmentToken(trx, {
        id,
        tokenId,
        secretHash,
        preview: `ent_***${token.slice(-4)}`,
        userId,
        label: request.label ?? null,
        countryCode: place.country,
        province: place.province,
        expiresAt,
      });
      await insertAuditEntry(trx, { actor, accountId: userId, action: 'enrollment_token.created', subject: id });
    });
    return { id, token, expires_at: expiresAt.toISOString() };
  }

  /** A user's tokens, newest first; everybody's for null. */
  async list(
    userId: string | null,
    page: { limit: number; offset: number },
  ): Promise<{ tokens: EnrollmentToken[]; total: number }> {
    const { rows, total } = await listEnrollmentTokens(this.options.db, { userId, ...page });
    return { tokens: rows.map(toToken), total };
  }

  /** Deletes an unused token. @throws ApiError NOT_FOUND, NODE_STATE_CONFLICT when it was used */
  async revoke(id: string, userId: string | null, actor: Actor): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const outcome = await deleteEnrollmentToken(trx, id, userId);
      if (outcome === 'missing') throw new ApiError('NOT_FOUND');
      if (outcome === 'used') throw new ApiError('NODE_STATE_CONFLICT');
      const accountId = userId ?? outcome.userId;
      await insertAuditEntry(trx, { actor, accountId, action: 'enrollment_token.revoked', subject: id });
    });
  }

  /** Forgets tokens that ended long ago. */
  async deleteOutdated(): Promise<void> {
    const { db, clock } = this.options;
    await deleteEnrollmentTokensEndedBefore(db, new Date(clock.now() - KEPT_MS));
  }
}

function toToken(row: EnrollmentTokenRow): EnrollmentToken {
  return {
    id: row.id,
    label: row.label,
    status: row.used_at ? 'used' : row.is_expired ? 'expired' : 'active',
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    preview: row.preview,
    consumed_node_id: row.consumed_node_id,
  };
}

declare module '../../http/route.js' {
  interface Services {
    readonly enrollmentTokens: EnrollmentTokens;
  }
}
