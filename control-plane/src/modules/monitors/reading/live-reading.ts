import type { Knex } from 'knex';
import type { Static } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import type { Owner } from '../../../owners/index.js';
import type { MonitorCheckSchema } from '../definition/schema.js';
import { findMonitor, type KnownMonitorRow } from '../definition/store.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { contains, unionOf } from '../history/interval-union.js';
import type { MaintenanceReads } from '../maintenance/maintenance-reads.js';
import { readNewChecks, readStates } from './live-store.js';
import { beganAtMs, checkView } from './view.js';

/** State of a monitor that has changed: fields of its record. */
export interface LiveState {
  readonly resource: 'monitor' | 'heartbeat';
  readonly ownerId: string;
  readonly isTest: boolean;
  readonly at: Date;
  readonly item: {
    readonly id: string;
    readonly updated_at: string;
    readonly current_status: string;
    readonly state_since: string;
    readonly advisory: { readonly failing_nodes: readonly string[] } | null;
  };
}

/** A check as its owner sees it. */
export type LiveCheck = Static<typeof MonitorCheckSchema>;

/** Reads what changes in monitors that somebody looks at, with one statement for all of them. */
export class LiveReading {
  constructor(private readonly options: { readonly db: Knex; readonly maintenance: MaintenanceReads; now(): number }) {}

  /** Monitors of an owner, to read their checks. @throws ApiError MONITOR_NOT_FOUND */
  async owned(ids: readonly string[], owner: Owner): Promise<KnownMonitorRow[]> {
    const rows: KnownMonitorRow[] = [];
    for (const id of ids) {
      const row = await findMonitor(this.options.db, { id, owner, nowMs: this.options.now() });
      if (row === null) throw new ApiError('MONITOR_NOT_FOUND');
      rows.push(row);
    }
    return rows;
  }

  /** States of monitors of these owners that have changed since an instant. */
  async states(ownerIds: readonly string[], since: Date): Promise<LiveState[]> {
    const rows = await readStates(this.options.db, ownerIds, since);
    return rows.map(({ id, type, owner_id, is_test, health, changed_at, failing_nodes, touched_at }) => ({
      resource: type === HEARTBEAT ? 'heartbeat' : 'monitor',
      ownerId: owner_id,
      isTest: is_test,
      at: touched_at,
      item: {
        id,
        updated_at: touched_at.toISOString(),
        current_status: health,
        state_since: changed_at.toISOString(),
        advisory: failing_nodes.length === 0 ? null : { failing_nodes },
      },
    }));
  }

  /** Checks of monitors that were due since an instant, oldest first. */
  async checks(monitors: readonly KnownMonitorRow[], sinceMs: number): Promise<LiveCheck[]> {
    const { db, maintenance } = this.options;
    const keys = monitors.map(({ key }) => key);
    const rows = await readNewChecks(db, keys, sinceMs);
    if (rows.length === 0) return [];
    const byKey = new Map(monitors.map((monitor) => [monitor.key, monitor]));
    const range = { fromMs: sinceMs, toMs: Math.max(...rows.map(beganAtMs)) + 1 };
    const windows = await maintenance.within(db, monitors, range);
    return rows.flatMap(({ monitor_key, details, ...row }) => {
      const monitor = byKey.get(monitor_key);
      if (monitor === undefined) return [];
      const isInMaintenance = contains(unionOf((windows.get(monitor.id) ?? []).flat()), beganAtMs(row));
      return [checkView(monitor.id, row, { isInMaintenance, details })];
    });
  }
}
