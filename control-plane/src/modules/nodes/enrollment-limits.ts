import type { Knex } from 'knex';
import { ApiError, capReached, limitReached } from '../../http/errors.js';
import { type Allowance, type Limit, networkKey, type RateLimiter } from '../../http/rate-limit.js';
import type { Plan, Plans } from '../../plans.js';
import { countHoldings, lockOwnerPlan } from './enrollment-store.js';

// Who is held back, and by what:
//
//   a network (IPv4 /24, IPv6 /48)   600 requests a minute, before anything is looked at (http/rate-limit.ts)
//                                    30 wrong tokens a minute: further ones get 429 instead of 401. A good token still
//                                    lets its agent in, so a guesser does not shut out who shares the address.
//   an owner                         as many nodes, and as many open tokens, as the plan has nodes; in an hour as many
//                                    enrollments, 10 at least

const WRONG_TOKENS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const LEAST_ENROLLMENTS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;

/** Counts a token that lets nobody in; false beyond what a network may try, in which case the caller says 429. */
export async function countWrongToken(limiter: RateLimiter, address: string | null): Promise<Allowance | null> {
  const network = address === null ? null : networkKey(address);
  if (network === null) return null;
  const key = `wrong-enrollment-tokens:${network}`;
  return limiter.consume({ key, limit: WRONG_TOKENS_PER_MINUTE, windowMs: MINUTE_MS });
}

/**
 * Whether the owner may have one more open token; holds off others who make one for the same owner.
 * @throws ApiError FEATURE_LOCKED when there are as many nodes as the plan allows, TOKEN_LIMIT_EXCEEDED when there are as
 * many open tokens
 */
export async function checkTokenRoom(trx: Knex, plans: Plans, { userId, nowMs }: OwnerAt): Promise<void> {
  const { nodes: most } = plans[await lockOwnerPlan(trx, userId)];
  if (most === null) return;
  const { nodes, openTokens } = await countHoldings(trx, userId);
  if (nodes >= most) throw tooManyNodes(most);
  if (openTokens < most) return;
  const message = `there are ${openTokens} open ones, as many as the plan allows: use or revoke one`;
  throw capReached('TOKEN_LIMIT_EXCEEDED', most, nowMs, { token: [{ code: 'refused', message }] });
}

/**
 * Whether the owner may have one more node; holds off others who enroll for the same owner.
 * @returns the owner's plan; @throws ApiError FEATURE_LOCKED
 */
export async function checkNodeRoom(trx: Knex, plans: Plans, userId: string): Promise<Plan> {
  const plan = plans[await lockOwnerPlan(trx, userId)];
  if (plan.nodes !== null && (await countHoldings(trx, userId)).nodes >= plan.nodes) throw tooManyNodes(plan.nodes);
  return plan;
}

/** Counts one more node of the owner in this hour. @throws ApiError RATE_LIMIT_EXCEEDED */
export async function countEnrollment(limiter: RateLimiter, plan: Plan, userId: string): Promise<void> {
  if (plan.nodes === null) return;
  const limit: Limit = {
    key: `enrollments:${userId}`,
    limit: Math.max(plan.nodes, LEAST_ENROLLMENTS_PER_HOUR),
    windowMs: HOUR_MS,
  };
  const allowance = await limiter.consume(limit);
  if (allowance.isAllowed) return;
  const message = `the owner of this token may enroll ${limit.limit} nodes an hour`;
  throw limitReached('RATE_LIMIT_EXCEEDED', allowance, { token: [{ code: 'refused', message }] });
}

/** Whose room is asked for, and when. */
interface OwnerAt {
  readonly userId: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

function tooManyNodes(most: number): ApiError {
  const message = `its owner has as many nodes as the plan allows: ${most}`;
  return new ApiError('FEATURE_LOCKED', { details: { token: [{ code: 'refused', message }] } });
}
