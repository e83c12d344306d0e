import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { CheckRow } from './check-store.js';
import { detailsKey, readDetails } from './details-store.js';
import type { HeartbeatParts, HeartbeatTimes } from './heartbeat-parts.js';
import type { MaintenanceReads } from './maintenance-reads.js';
import type { MonitorCheckSchema, MonitorCreatedSchema, MonitorDetailSchema, MonitorSchema } from './schema.js';
import type { KnownMonitorRow } from './store.js';
import { HEARTBEAT } from './type-names.js';
import { type Interval, uptimePercent } from './uptime.js';
import { readEpisodes } from './uptime-store.js';
import { beganAtMs, checkView, monitorView } from './view.js';

const UPTIME_MS = 30 * 86_400_000;

interface ReadingOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly maintenance: MaintenanceReads;
  readonly heartbeats: Pick<HeartbeatParts, 'readTimes' | 'readCreated' | 'readDetail'>;
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
    const [episodes, windows, times] = await Promise.all([
      readEpisodes(db, ids, asked),
      maintenance.within(db, rows, upToNow),
      this.#heartbeatTimes(rows),
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
      const heartbeat = times.get(row.id) ?? null;
      return monitorView(row, { isInMaintenance, uptimePercent: percent, nowMs, heartbeat });
    });
  }

  /** Views of checks of a monitor, in their order. */
  async checkViews(monitor: KnownMonitorRow, rows: readonly CheckRow[]): Promise<Static<typeof MonitorCheckSchema>[]> {
    if (rows.length === 0) return [];
    const { db, maintenance } = this.options;
    const begins = rows.map(beganAtMs);
    const slots = rows.map(({ at }) => at.getTime());
    const range = { fromMs: Math.min(...begins), toMs: Math.max(...begins) + 1 };
    const [windows, details] = await Promise.all([
      maintenance.within(db, [monitor], range).then((found) => found.get(monitor.id) ?? []),
      readDetails(db, monitor.key, { fromMs: Math.min(...slots), toMs: Math.max(...slots) }),
    ]);
    return rows.map((row) => {
      const isInMaintenance = windows.some(({ fromMs, toMs }) => fromMs <= beganAtMs(row) && beganAtMs(row) < toMs);
      return checkView(monitor.id, row, { isInMaintenance, details: details.get(detailsKey(row)) ?? null });
    });
  }

  /** The view of one row. */
  async view(row: KnownMonitorRow): Promise<Static<typeof MonitorSchema>> {
    const [view] = await this.views([row]);
    if (view === undefined) throw new RangeError('a row has a view');
    return view;
  }

  /** What whoever made a monitor gets to see of it. */
  async created(row: KnownMonitorRow): Promise<Static<typeof MonitorCreatedSchema>> {
    const { db, heartbeats } = this.options;
    const view = await this.view(row);
    return row.type === HEARTBEAT ? { ...view, heartbeat: await heartbeats.readCreated(db, row.id) } : view;
  }

  /** The view of a row that is looked at alone. */
  async detail(row: KnownMonitorRow): Promise<Static<typeof MonitorDetailSchema>> {
    const { db, heartbeats } = this.options;
    const view = await this.view(row);
    return row.type === HEARTBEAT ? { ...view, heartbeat: await heartbeats.readDetail(db, row.id) } : view;
  }

  async #heartbeatTimes(rows: readonly KnownMonitorRow[]): Promise<ReadonlyMap<string, HeartbeatTimes>> {
    const ids = rows.filter(({ type }) => type === HEARTBEAT).map(({ id }) => id);
    return ids.length === 0 ? new Map() : this.options.heartbeats.readTimes(this.options.db, ids);
  }
}
