import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { type PreparedStatement, queryPrepared } from '../../db/prepared.js';
import { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from './target-budget.js';

/** Number of nodes requested for a target, and the tokens of the budget that each of them takes. */
export interface Demand {
  readonly nodes: number;
  readonly weight: number;
}

/** Longest time that a node task is pending, with room for clocks that differ: older ones need not be counted. */
const PENDING_MS = 86_400_000;

/** SQL: numbers of nodes granted; its values are those of `takenBy`, from the placeholder `$first` on. */
export function takeTargetBudgets(first: number): string {
  const at = (offset: number) => `$${first + offset}`;
  return `take_target_budgets(${at(0)}::text[], ${at(1)}::int[], ${at(2)}::float8[], ${at(3)}::text, ${TARGET_RATE_PER_SECOND}, ${TARGET_BURST}, ${TARGET_MAX_AT_ONCE})`;
}

/** Request for the budgets of a target. */
export interface BudgetRequest extends Demand {
  readonly keys: readonly string[];
}

/** Values of `takeTargetBudgets`. */
export function takenBy(requests: readonly BudgetRequest[], nowMs: number): unknown[] {
  return [
    requests.map(({ keys }) => keys.join(' ')),
    requests.map(({ nodes }) => nodes),
    requests.map(({ weight }) => weight),
    idLowerBound(idPrefixes.probeTask, nowMs - PENDING_MS),
  ];
}

const TAKE: PreparedStatement = {
  name: 'target-budget-take',
  text: `SELECT ${takeTargetBudgets(1)} AS granted`,
};

/**
 * Takes from the budget of a target for as many of the nodes as it allows, and returns their number. Call it in the
 * transaction that stores their work: other requests for any of the keys wait for its end, and then see that work.
 */
export async function takeFromBudget(trx: Knex, request: BudgetRequest, nowMs: number): Promise<number> {
  const [row] = await queryPrepared<{ granted: readonly number[] }>(trx, TAKE, takenBy([request], nowMs));
  return row?.granted[0] ?? 0;
}

/** Deletes buckets that have been full for a long time. */
export async function deleteFullBuckets(db: Knex): Promise<void> {
  await db.raw(`DELETE FROM target_buckets WHERE updated_at < now() - interval '1 hour'`);
}
