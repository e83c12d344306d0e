import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { refuseRevoked } from '../../authentication/index.js';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import type { Plans } from '../../plans/index.js';
import { parsePlace } from './declared-place.js';
import { checkTokenCap } from './enrollment-limits.js';
import {
  deleteEnrollmentToken,
  deleteEnrollmentTokensEndedBefore,
  type EnrollmentTokenRow,
  insertEnrollmentToken,
  listEnrollmentTokens,
} from './enrollment-store.js';
import type { EnrollmentTokenCreateSchema, EnrollmentTokenSchema } from './schema.js';

// Life cycle of a token:
//
//   active ──use────────────> used ─────30 days───────────> gone
//   active ──validity ends──> expired ──30 days, revoke───> gone
//   active ──revoke────────────────────────────────────────> gone

type TokenRequest = Static<typeof EnrollmentTokenCreateSchema>;

/** An enrollment token as lists show it. */
export type EnrollmentToken = Static<typeof EnrollmentTokenSchema>;

const HOUR_MS = 3_600_000;
const DEFAULT_VALID_HOURS = 24;
/** Time for which lists show a used or expired token. */
const KEPT_MS = 30 * 24 * HOUR_MS;

interface EnrollmentTokensOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
}

/** One-time tokens with which agents enroll. */
export class EnrollmentTokens {
  constructor(private readonly options: EnrollmentTokensOptions) {}

  /**
   * Creates a token. `token` in the result is the secret, which cannot be read again.
   * @throws ApiError VALIDATION_FAILED, FORBIDDEN, FEATURE_LOCKED, TOKEN_LIMIT_EXCEEDED
   */
  async create(
    { owner, user }: Pick<Account, 'owner' | 'user'>,
    request: TokenRequest,
    actor: Actor,
  ): Promise<{ id: string; token: string; expires_at: string }> {
    if (request.sponsor_user_id !== undefined && request.sponsor_user_id !== user?.id) throw new ApiError('FORBIDDEN');
    const place = parsePlace(
      { country: request.country_code, province: request.declared_province },
      { country: 'country_code', province: 'declared_province' },
    );
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.enrollment);
    const nowMs = this.options.clock.now();
    const expiresAt = new Date(nowMs + (request.expires_in_hours ?? DEFAULT_VALID_HOURS) * HOUR_MS);
    const id = newId(idPrefixes.enrollmentToken, nowMs);
    await this.options.db.transaction(async (trx) => {
      await checkTokenCap(trx, this.options.plans, { owner, nowMs });
      await refuseRevoked(trx, actor);
      await insertEnrollmentToken(trx, {
        id,
        tokenId,
        secretHash,
        preview: `ent_***${token.slice(-4)}`,
        ownerId: owner.id,
        label: request.label ?? null,
        countryCode: place.country,
        province: place.province,
        expiresAt,
      });
      await insertAuditEntry(trx, { actor, accountId: owner.id, action: 'enrollment_token.created', subject: id });
    });
    return { id, token, expires_at: expiresAt.toISOString() };
  }

  /** Lists an owner's tokens (null for all owners), newest first, with their total number. */
  async list(
    ownerId: string | null,
    page: { limit: number; offset: number },
  ): Promise<{ tokens: EnrollmentToken[]; total: number }> {
    const { rows, total } = await listEnrollmentTokens(this.options.db, { ownerId, ...page });
    return { tokens: rows.map(toToken), total };
  }

  /** Deletes an unused token of an owner (null for any owner). @throws ApiError NOT_FOUND, NODE_STATE_CONFLICT when it was used */
  async revoke(id: string, ownerId: string | null, actor: Actor): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const outcome = await deleteEnrollmentToken(trx, id, ownerId);
      if (outcome === 'missing') throw new ApiError('NOT_FOUND');
      if (outcome === 'used') throw new ApiError('NODE_STATE_CONFLICT');
      const accountId = ownerId ?? outcome.ownerId;
      await insertAuditEntry(trx, { actor, accountId, action: 'enrollment_token.revoked', subject: id });
    });
  }

  /** Deletes tokens that were used or expired more than 30 days ago. */
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
