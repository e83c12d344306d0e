import type { Knex } from 'knex';
import type { Allowance } from '../../http/allowance.js';
import { limitReached } from '../../http/errors.js';
import type { Limit, RateLimiter } from '../../http/rate-limit.js';
import { networkKey } from '../../limits/caller-networks.js';
import { type LockedOwner, lockOwner, type Owner } from '../../owners/index.js';
import { type Plan, type PlanCap, type Plans, type ReserveAt, reserve } from '../../plans/index.js';
import { countNodes, countOpenTokens } from './enrollment-store.js';

// Limits of enrollment:
//
//   a network (IPv4 /24, IPv6 /48)   600 requests a minute, before the request is read (http/rate-limit.ts)
//                                    30 wrong tokens a minute: further ones get 429 instead of 401. A valid token still
//                                    enrolls its agent, so guessing does not block others who share the address.
//   an owner                         as many nodes, and as many open tokens, as the plan has nodes; the same number of
//                                    enrollments an hour, at least 10; unlimited nodes: no limit an hour

const WRONG_TOKENS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const LEAST_ENROLLMENTS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;

/** Counts a wrong token of a network. Returns its allowance, beyond which the caller responds 429; null if the network is unknown. */
export async function countWrongToken(limiter: RateLimiter, address: string | null): Promise<Allowance | null> {
  const network = address === null ? null : networkKey(address);
  if (network === null) return null;
  const key = `wrong-enrollment-tokens:${network}`;
  return limiter.consume({ key, limit: WRONG_TOKENS_PER_MINUTE, windowMs: MINUTE_MS });
}

const nodeCap: PlanCap = { field: 'token', number: 'nodes', count: countNodes };
const openTokenCap: PlanCap = { field: 'token', number: 'nodes', code: 'TOKEN_LIMIT_EXCEEDED', count: countOpenTokens };

/**
 * Checks that an owner may have one more open token, and locks the owner, so that others who create one for it wait.
 * @throws ApiError ACCOUNT_DELETED, FEATURE_LOCKED when the owner has as many nodes as the plan allows, TOKEN_LIMIT_EXCEEDED
 * when it has as many open tokens
 */
export async function checkTokenCap(trx: Knex, plans: Plans, { owner: { id }, nowMs }: OwnerAt): Promise<void> {
  const owner = await lockOwner(trx, { id });
  await reserve(trx, owner, nodeCap, { plans, nowMs });
  await reserve(trx, owner, openTokenCap, { plans, nowMs });
}

/** Checks that a locked owner may have one more node. @throws ApiError FEATURE_LOCKED */
export async function checkNodeCap(trx: Knex, owner: LockedOwner, at: ReserveAt): Promise<void> {
  await reserve(trx, owner, nodeCap, at);
}

/**
 * Counts an enrollment of the owner against the hourly limit, which a plan with unlimited nodes does not have.
 * @throws ApiError RATE_LIMIT_EXCEEDED
 */
export async function countEnrollment(limiter: RateLimiter, plan: Plan, ownerId: string): Promise<void> {
  if (plan.nodes === null) return;
  const limit: Limit = {
    key: `enrollments:${ownerId}`,
    limit: Math.max(plan.nodes, LEAST_ENROLLMENTS_PER_HOUR),
    windowMs: HOUR_MS,
  };
  const allowance = await limiter.consume(limit);
  if (allowance.isAllowed) return;
  const message = `the owner of this token may enroll ${limit.limit} nodes an hour`;
  throw limitReached('RATE_LIMIT_EXCEEDED', allowance, { token: [{ code: 'refused', message }] });
}

/** Owner whose limits are checked, and the present time. */
interface OwnerAt {
  readonly owner: Pick<Owner, 'id'>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}
