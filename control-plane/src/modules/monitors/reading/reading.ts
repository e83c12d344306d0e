import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { TimeRange } from '../../../http/time-range.js';
import { viewerOf } from '../../../http/viewer.js';
import { Slices } from '../../../runtime/slices.js';
import { type CheckPosition, type CheckRow, listChecks } from '../checks/check-store.js';
import { detailsKey, readDetails } from '../checks/details-store.js';
import type { BadgeAddresses } from '../definition/badge-addresses.js';
import { type Interval } from '../definition/interval.js';
import { maskedTarget } from '../definition/masked-target.js';
import type {
  MonitorCheckSchema,
  MonitorCreatedSchema,
  MonitorDetailSchema,
  MonitorSchema,
} from '../definition/schema.js';
import { shownSettings } from '../definition/sealed-secrets.js';
import { reachOf, tooFewWithin } from '../definition/secret-reach.js';
import { findHealth, findMonitor, type KnownMonitorRow, type MonitorFilter } from '../definition/store.js';
import { HEARTBEAT } from '../definition/type-names.js';
import type { HeartbeatActs, HeartbeatTimes } from '../heartbeats/heartbeat-acts.js';
import { contains, unionOf } from '../history/interval-union.js';
import { uptimePercent } from '../history/uptime.js';
import { type Episodes, fromListed, readEpisodes } from '../history/uptime-store.js';
import type { MaintenanceReads, PartsByMonitor } from '../maintenance/maintenance-reads.js';
import type { Placing } from '../placement/placing.js';
import type { Badge } from './badge.js';
import { type ListedMonitorRow, listMonitors, type MonitorOrder } from './list-store.js';
import { beganAtMs, checkView, monitorView } from './view.js';

const UPTIME_MS = 30 * 86_400_000;
/** Tolerance for clocks of nodes that are ahead, in milliseconds. */
const AHEAD_MS = 120_000;
/** Steps that the view of a monitor takes without its episodes. */
const VIEW_STEPS = 20;

type View = Static<typeof MonitorSchema>;

/** Parts of views of monitors that their rows do not have, by id of the monitor. */
interface Known {
  /** The time until now that the uptime is of. */
  readonly asked: Interval;
  readonly episodes: ReadonlyMap<string, Episodes>;
  readonly windows: PartsByMonitor;
}

interface ReadingOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly maintenance: MaintenanceReads;
  readonly heartbeats: Pick<
    HeartbeatActs,
    'readTimes' | 'readCreated' | 'readDetail' | 'readDetailMasked' | 'findState'
  >;
  readonly badges: BadgeAddresses;
  readonly placing: Pick<Placing, 'isShortOfReach'>;
  readonly sealer: Sealer;
}

/** Reads monitors and their checks, and builds the views that their owners see. */
export class Reading {
  constructor(private readonly options: ReadingOptions) {}

  /** @throws ApiError MONITOR_NOT_FOUND */
  async get(id: string, account: Account): Promise<KnownMonitorRow> {
    const { db, clock } = this.options;
    const row = await findMonitor(db, { id, owner: account.owner, nowMs: clock.now() });
    if (row === null) throw new ApiError('MONITOR_NOT_FOUND');
    return row;
  }

  /** Badge of a monitor of any owner; null if there is no such badge. */
  async findBadge(publicId: string): Promise<Badge | null> {
    const { db, badges, heartbeats } = this.options;
    const id = badges.monitorOf(publicId);
    const row = id === null ? null : await findHealth(db, id);
    if (row === null) return null;
    const { type, status, health } = row;
    const checked = status === 'active' ? health : 'paused';
    const state = type === HEARTBEAT ? await heartbeats.findState(db, row.id) : checked;
    return state === null ? null : { type, state };
  }

  /** Page of views of monitors in an order, and the number of all. */
  async list(
    account: Account,
    filter: MonitorFilter,
    page: { order: MonitorOrder; limit: number; offset: number },
  ): Promise<{ items: View[]; total: number }> {
    const { db, maintenance } = this.options;
    const asked = this.#lastDays();
    const windowsOf = maintenance.reading(db, account.owner.id, upToNow(asked));
    const { owner } = account;
    const { rows, total } = await listMonitors(db, { owner, filter, nowMs: asked.toMs, uptimeOf: asked, ...page });
    const [episodes, windows] = await Promise.all([this.#episodesOfList(rows, asked), windowsOf(rows)]);
    return { items: await this.#views(rows, account, { asked, episodes, windows }), total };
  }

  /** Checks of a monitor, newest first. */
  checks(
    { key }: KnownMonitorRow,
    { fromMs, toMs, after, limit }: TimeRange & { readonly after: CheckPosition | null; readonly limit: number },
  ): Promise<CheckRow[]> {
    const { db, clock } = this.options;
    const range = { fromMs: fromMs ?? 0, toMs: toMs ?? clock.now() + AHEAD_MS };
    return listChecks(db, { monitorKey: key, ...range, after, limit });
  }

  /** Views in the order of the rows. For accounts that may not read monitors, sealed settings and paths of targets are masked. */
  async #views(
    rows: readonly KnownMonitorRow[],
    account: Account,
    { asked, episodes, windows }: Known,
  ): Promise<View[]> {
    const { badges } = this.options;
    const times = await this.#heartbeatTimes(rows);
    const slices = new Slices();
    const views: View[] = [];
    for (const row of rows) {
      const { downs, pauses } = episodes.get(row.id) ?? { downs: [], pauses: [] };
      const maintained = unionOf((windows.get(row.id) ?? []).flat());
      const turn = slices.spend(VIEW_STEPS + downs.length + pauses.length + maintained.length);
      if (turn !== null) await turn;
      const percent = uptimePercent({
        asked,
        firstCheckMs: row.first_check_at?.getTime() ?? null,
        downs,
        unwatched: [...pauses, ...maintained],
      });
      const heartbeat = times.get(row.id) ?? null;
      const isInMaintenance = contains(maintained, asked.toMs);
      const badgeUrl = badges.urlOf(row.id);
      const shown = { ...row, ...this.#shownTo(account, row) };
      const known = { isInMaintenance, uptimePercent: percent, nowMs: asked.toMs, heartbeat, badgeUrl };
      views.push(monitorView(shown, known));
    }
    return views;
  }

  /** The time that the uptime of a view is of. */
  #lastDays(): Interval {
    const nowMs = this.options.clock.now();
    return { fromMs: nowMs - UPTIME_MS, toMs: nowMs };
  }

  /** Episodes of a page: those of its rows, and for monitors that have more, by a statement of their own. */
  async #episodesOfList(rows: readonly ListedMonitorRow[], asked: Interval): Promise<ReadonlyMap<string, Episodes>> {
    const listed = rows.map(({ id, episodes }) => [id, fromListed(episodes, asked.toMs)] as const);
    const rest = listed.flatMap(([id, episodes]) => (episodes === null ? [id] : []));
    const found = new Map(await readEpisodes(this.options.db, rest, asked));
    for (const [id, episodes] of listed) if (episodes !== null) found.set(id, episodes);
    return found;
  }

  /** Views of checks of a monitor, in their order. */
  async checkViews(monitor: KnownMonitorRow, rows: readonly CheckRow[]): Promise<Static<typeof MonitorCheckSchema>[]> {
    if (rows.length === 0) return [];
    const { db, maintenance } = this.options;
    const begins = rows.map(beganAtMs);
    const slots = rows.map(({ at }) => at.getTime());
    const range = { fromMs: Math.min(...begins), toMs: Math.max(...begins) + 1 };
    const [windows, details] = await Promise.all([
      maintenance.within(db, [monitor], range).then((found) => unionOf((found.get(monitor.id) ?? []).flat())),
      readDetails(db, monitor.key, { fromMs: Math.min(...slots), toMs: Math.max(...slots) }),
    ]);
    return rows.map((row) => {
      const isInMaintenance = contains(windows, beganAtMs(row));
      return checkView(monitor.id, row, { isInMaintenance, details: details.get(detailsKey(row)) ?? null });
    });
  }

  /** View of a monitor for the account that has just created it: a heartbeat's includes its token. @throws ApiError MONITOR_NOT_FOUND */
  async created(id: string, account: Account): Promise<Static<typeof MonitorCreatedSchema>> {
    const { db, heartbeats } = this.options;
    const row = await this.get(id, account);
    const view = await this.#viewAlone(row, account);
    return row.type === HEARTBEAT ? { ...view, heartbeat: await heartbeats.readCreated(db, row.id) } : view;
  }

  /** View of a single monitor. The token of a heartbeat is masked for accounts that may not change it. @throws ApiError MONITOR_NOT_FOUND */
  async detail(id: string, account: Account): Promise<Static<typeof MonitorDetailSchema>> {
    const { db, heartbeats } = this.options;
    const row = await this.get(id, account);
    const view = await this.#viewAlone(row, account);
    if (row.type !== HEARTBEAT) return view;
    const heartbeat = account.scopes.has('monitor:write')
      ? await heartbeats.readDetail(db, row.id)
      : await heartbeats.readDetailMasked(db, row.id);
    return { ...view, heartbeat };
  }

  /** View with placement advice, which examines every node and is too expensive for lists. */
  async #viewAlone(row: KnownMonitorRow, account: Account): Promise<View> {
    const { db, maintenance } = this.options;
    const asked = this.#lastDays();
    const [episodes, windows] = await Promise.all([
      readEpisodes(db, [row.id], asked),
      maintenance.within(db, [row], upToNow(asked)),
    ]);
    const [view] = await this.#views([row], account, { asked, episodes, windows });
    if (view === undefined) throw new RangeError('a row has a view');
    const reach = reachOf(row);
    if (reach === null || !this.options.placing.isShortOfReach(row, viewerOf(account))) return view;
    const placement = { field: 'config.allow_secrets_on', message: tooFewWithin(reach) };
    return { ...view, advisory: { failing_nodes: [], ...view.advisory, placement } };
  }

  #shownTo({ scopes }: Account, row: KnownMonitorRow): Pick<KnownMonitorRow, 'target' | 'config'> {
    const { target, config } = row;
    if (!scopes.has('monitor:read')) return { target: maskedTarget(target), config };
    return { target, config: { ...shownSettings(row, this.options.sealer) } };
  }

  async #heartbeatTimes(rows: readonly KnownMonitorRow[]): Promise<ReadonlyMap<string, HeartbeatTimes>> {
    const ids = rows.filter(({ type }) => type === HEARTBEAT).map(({ id }) => id);
    return ids.length === 0 ? new Map() : this.options.heartbeats.readTimes(this.options.db, ids);
  }
}

/** A window includes its begin and excludes its end. */
function upToNow({ fromMs, toMs }: Interval): Interval {
  return { fromMs, toMs: toMs + 1 };
}
