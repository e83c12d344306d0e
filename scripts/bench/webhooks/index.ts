import { type ComparisonRequest, runComparisons } from '../comparisons.js';
import type { LinkComparison } from '../link/comparison.js';
import { backlog } from './backlog.js';
import { rate } from './rate.js';
import { silent } from './silent.js';

/** The one list of comparisons of webhooks. */
export const webhookComparisons: readonly LinkComparison[] = [rate, silent, backlog];

/** Measures webhooks beside their baselines; a table for each comparison. */
export function benchWebhooks(request: ComparisonRequest): Promise<void> {
  return runComparisons('webhooks', webhookComparisons, request);
}
