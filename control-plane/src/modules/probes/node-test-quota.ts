import { type ApiError, limitReached } from '../../http/errors.js';
import { type Allowance, type Caller, nodeTestQuota, type RateLimiter } from '../../http/rate-limit.js';
import type { Plans } from '../../plans.js';

interface NodeTestsOptions {
  readonly limiter: RateLimiter;
  readonly plans: Plans;
}

/**
 * Takes node tests from the caller's quota of the day for what `work` does, and gives them back when it fails.
 * @throws ApiError QUOTA_EXCEEDED when they are not there; nothing is taken then
 */
export async function spendNodeTests<T>(
  { limiter, plans }: NodeTestsOptions,
  { caller, nodeTests }: { readonly caller: Caller; readonly nodeTests: number },
  work: () => Promise<T>,
): Promise<T> {
  const quota = nodeTestQuota(caller, plans);
  if (quota === null) return work();
  const allowance = await limiter.consume(quota, nodeTests);
  if (!allowance.isAllowed) throw quotaExceeded(allowance, nodeTests);
  try {
    return await work();
  } catch (error) {
    await limiter.refund(quota, nodeTests, allowance);
    throw error;
  }
}

function quotaExceeded(allowance: Allowance, nodeTests: number): ApiError {
  const message = `take ${nodeTests} node tests, and ${allowance.remaining} of ${allowance.limit} are left today`;
  return limitReached('QUOTA_EXCEEDED', allowance, { nodes: [{ code: 'refused', message }] });
}
