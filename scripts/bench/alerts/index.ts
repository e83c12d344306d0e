import { type ComparisonRequest, runComparisons } from '../comparisons.js';
import type { LinkComparison } from '../link/comparison.js';
import { backlog } from './backlog.js';
import { idle } from './idle.js';
import { judging } from './judging.js';
import { latency } from './latency.js';
import { storm } from './storm.js';

/** The one list of comparisons of alerts. */
export const alertComparisons: readonly LinkComparison[] = [latency, storm, judging, backlog, idle];

/** Measures alerts beside their baselines; a table for each comparison. */
export function benchAlerts(request: ComparisonRequest): Promise<void> {
  return runComparisons('alerts', alertComparisons, request);
}
