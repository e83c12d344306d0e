import { type ComparisonRequest, runComparisons } from '../comparisons.js';
import type { LinkComparison } from '../link/comparison.js';
import { cold } from './cold.js';
import { ip } from './ip.js';
import { report } from './report.js';
import { reputation } from './reputation.js';
import { warm } from './warm.js';
import { zoneAudit } from './zone-audit.js';

/** The one list of comparisons of lookups. */
export const lookupComparisons: readonly LinkComparison[] = [ip, reputation, warm, cold, report, zoneAudit];

/** Measures lookups beside their baselines; a table for each comparison. */
export function benchLookups(request: ComparisonRequest): Promise<void> {
  return runComparisons('lookups', lookupComparisons, request);
}
