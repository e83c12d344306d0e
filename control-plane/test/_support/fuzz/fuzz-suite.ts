import type { Test } from 'tap';
import type { FuzzedApi } from './fuzz-api.js';

/** Number of operations tried at the same time: most wait for the database. */
const AT_ONCE = 4;

/** VANTAGE_TEST_SEED repeats the requests of an earlier run. */
const seed = Number(process.env['VANTAGE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Makes `count` requests of each operation, or of one in `oneIn`, by the seed; one assertion each. */
export async function tryOperations(
  t: Test,
  api: FuzzedApi,
  { count, oneIn = 1 }: { count: number; oneIn?: number },
): Promise<void> {
  const waiting = api.operations.filter((_, index) => (index + seed) % oneIn === 0).values();
  const work = async () => {
    for (const operation of waiting) {
      const problem = await api.problemOf(operation, { seed, count });
      t.equal(problem, null, `${operation.operationId}, repeat with VANTAGE_TEST_SEED=${seed}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Checks that requests succeeded for more than a third of the operations: seeds differ, and about half of them do. */
export function expectSuccesses(t: Test, { operations, succeeded }: FuzzedApi): void {
  const never = operations.map(({ operationId }) => operationId).filter((id) => !succeeded.has(id));
  t.comment(`never succeeded: ${never.join(', ')}`);
  t.ok(succeeded.size > operations.length / 3, `${succeeded.size} of ${operations.length} succeeded`);
}
