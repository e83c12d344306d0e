import { type ComparisonRequest, runComparisons } from '../comparisons.js';
import type { LinkComparison } from '../link/comparison.js';
import { agent } from './agent.js';
import { checkIns } from './check-ins.js';
import { checks } from './checks.js';
import { events } from './events.js';
import { flat } from './flat.js';
import { list } from './list.js';
import { restart } from './restart.js';

/** The one list of monitorComparisons. */
export const monitorComparisons: readonly LinkComparison[] = [agent, checkIns, checks, events, flat, list, restart];

/** Measures what monitors cost, and how soon they tell; a table for each. */
export function benchMonitors(request: ComparisonRequest): Promise<void> {
  return runComparisons('monitors', monitorComparisons, request);
}
