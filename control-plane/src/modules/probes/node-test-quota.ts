import type { Allowance } from '../../http/allowance.js';
import { type ApiError, limitReached } from '../../http/errors.js';
import { accountHint, type Caller, type Limit, nodeTestQuota, type RateLimiter } from '../../http/rate-limit.js';
import type { Plans } from '../../plans/index.js';

interface NodeTestsOptions {
  readonly limiter: RateLimiter;
  readonly plans: Plans;
}

/** Proof that node tests were taken, with which any replica can return some of them. Plain data. */
export interface NodeTestReceipt {
  readonly quota: Limit;
  readonly allowance: Allowance;
}

/** Node tests that were taken from a caller's daily quota. */
export interface TakenNodeTests {
  /** Null if the caller has no quota. */
  readonly receipt: NodeTestReceipt | null;
  /** Returns the node tests to the quota, for a probe that was not created. */
  giveBack(): Promise<void>;
}

const unlimited: TakenNodeTests = { receipt: null, giveBack: async () => {} };

/** Takes node tests from the caller's daily quota. @throws ApiError QUOTA_EXCEEDED when fewer are left; then none is taken */
export async function takeNodeTests(
  { limiter, plans }: NodeTestsOptions,
  caller: Caller,
  count: number,
): Promise<TakenNodeTests> {
  const quota = nodeTestQuota(caller, plans);
  if (quota === null) return unlimited;
  const allowance = await limiter.consume(quota, count);
  if (!allowance.isAllowed) throw quotaExceeded(allowance, count, accountHint('node_tests_per_day', caller, plans));
  return { receipt: { quota, allowance }, giveBack: () => limiter.refund(quota, count, allowance) };
}

function quotaExceeded(allowance: Allowance, count: number, hint: string | null): ApiError {
  const needed = count === 1 ? '1 is needed' : `${count} are needed`;
  const message = `${needed}, and ${allowance.remaining} of ${allowance.limit} are left today${hint === null ? '' : `; ${hint}`}`;
  return limitReached('QUOTA_EXCEEDED', allowance, { node_tests: [{ code: 'refused', message }] });
}
