import type { Knex } from 'knex';
import type { Interval } from './uptime.js';

/** What decides which maintenance windows a monitor is in. */
export interface Maintained {
  readonly id: string;
  readonly user_id: string;
  readonly group_id: string | null;
  readonly tags: readonly string[];
}

/** When monitors are under maintenance. */
export interface MaintenanceReads {
  /** Parts of the range in which each monitor is, by its id; windows that touch `range` are cut to it. */
  within(db: Knex, monitors: readonly Maintained[], range: Interval): Promise<ReadonlyMap<string, readonly Interval[]>>;
}

/** How monitors stand to maintenance windows. */
export interface MaintenanceNow {
  readonly isNow: boolean;
  /** When the last one ended; null: there was none. */
  readonly endedAtMs: number | null;
}

/** Which monitors are inside a maintenance window at an instant, and when the last one of each ended; by id. */
export type MaintenanceAt = (
  db: Knex,
  monitors: readonly Maintained[],
  nowMs: number,
) => Promise<ReadonlyMap<string, MaintenanceNow>>;

/** There are no windows yet. */
export const noWindows: MaintenanceReads & { readonly now: MaintenanceAt } = {
  within: async () => new Map(),
  now: async () => new Map(),
};
