import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { CheckRow } from './check-store.js';
import type { MaintenanceReads } from './maintenance-reads.js';
import type { MonitorCheckSchema, MonitorSchema } from './schema.js';
import type { KnownMonitorRow } from './store.js';
import { type Interval, uptimePercent } from './uptime.js';
import { readEpisodes } from './uptime-store.js';
import { beganAtMs, checkView, monitorView } from './view.js';

const UPTIME_MS = 30 * 86_400_000;

interface ReadingOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly maintenance: MaintenanceReads;
}

/** Makes what owners see of rows, many at once. */
export class Reading {
  constructor(private readonly options: ReadingOptions) {}

  /** Views in the order of the rows. */
  async views(rows: readonly KnownMonitorRow[]): Promise<Static<typeof MonitorSchema>[]> {
    const { db, clock, maintenance } = this.options;
    const nowMs = clock.now();
    const asked: Interval = { fromMs: nowMs - UPTIME_MS, toMs: nowMs };
    const ids = rows.map(({ id }) => id);
    // a window is over at its end, and there from its beginning on
    const upToNow = { ...asked, toMs: nowMs + 1 };
    const [episodes, windows] = await Promise.all([
      readEpisodes(db, ids, asked),
      maintenance.within(db, rows, upToNow),
    ]);
    return rows.map((row) => {
      const { downs, pauses } = episodes.get(row.id) ?? { downs: [], pauses: [] };
      const maintained = windows.get(row.id) ?? [];
      const percent = uptimePercent({
        asked,
        firstCheckMs: row.first_check_at?.getTime() ?? null,
        downs,
        unwatched: [...pauses, ...maintained],
      });
      const isInMaintenance = maintained.some(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
      return monitorView(row, { isInMaintenance, uptimePercent: percent, nowMs });
    });
  }

  /** Views of checks of a monitor, in their order. */
  async checkViews(monitor: KnownMonitorRow, rows: readonly CheckRow[]): Promise<Static<typeof MonitorCheckSchema>[]> {
    const { db, maintenance } = this.options;
    const begins = rows.map(beganAtMs);
    const range = { fromMs: Math.min(...begins), toMs: Math.max(...begins) + 1 };
    const windows = rows.length === 0 ? [] : ((await maintenance.within(db, [monitor], range)).get(monitor.id) ?? []);
    return rows.map((row) => {
      const isInMaintenance = windows.some(({ fromMs, toMs }) => fromMs <= beganAtMs(row) && beganAtMs(row) < toMs);
      return checkView(monitor.id, row, isInMaintenance);
    });
  }

  /** The view of one row. */
  async view(row: KnownMonitorRow): Promise<Static<typeof MonitorSchema>> {
    const [view] = await this.views([row]);
    if (view === undefined) throw new RangeError('a row has a view');
    return view;
  }
}
