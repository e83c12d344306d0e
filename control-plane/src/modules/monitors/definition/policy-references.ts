import type { Knex } from 'knex';
import type { Owner } from '../../../owners/index.js';

/** Alert policies as monitors refer to them: the module that has them comes later, and knows monitors. */
export interface PolicyReferences {
  /**
   * True if a monitor of an owner may name a policy, which cannot be deleted until the transaction ends. `isTestMonitor`: a test key
   * created the monitor.
   */
  isNameable(
    trx: Knex,
    id: string,
    monitor: { readonly owner: Owner; readonly isTestMonitor: boolean },
  ): Promise<boolean>;
  /** Monitors of an owner that depend on each other by their policies as they are in the transaction, in order; null if none do. */
  findCycle(trx: Knex, ownerId: string): Promise<readonly string[] | null>;
}

/** Sentence for a refusal of monitors that depend on each other. */
export function cycleMessage(cycle: readonly string[]): string {
  return `monitors would hold the alerts of each other, each depends on the next: ${[...cycle, ...cycle.slice(0, 1)].join(', ')}`;
}
