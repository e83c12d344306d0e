import type { Test } from 'tap';
import type { linkRecords } from 'vantage-control/links/index.js';

type Knex = Parameters<typeof linkRecords>[0];

/** A migrated database of the test's own, by the test support of the control plane, compiled next to this one's; dropped when `t` ends. */
export async function testDatabase(t: Test): Promise<Knex> {
  const support = new URL('../../../control-plane/dist/test/_support/database.js', import.meta.url);
  // what that module exports
  const { createTestDatabase } = (await import(support.href)) as { createTestDatabase(t: Test): Promise<{ db: Knex }> };
  return (await createTestDatabase(t)).db;
}
