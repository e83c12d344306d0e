import { type Clock, delay } from '@vantage/shared/clock.js';
import { CHECK_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.js';
import { ApiError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import type { TimeRange } from '../../http/time-range.js';
import type { ResultKind } from '../../ingest/index.js';
import type { ReadAssigned, StateKind } from '../../links/index.js';
import type { Mail } from '../../mail/index.js';
import type { Plans } from '../../plans.js';
import { createSealer } from '../../sealing.js';
import type { NodeDirectory } from '../nodes/index.js';
import { type AskedLink, Asking } from './asking.js';
import { assignedWork } from './assigned-work.js';
import { AssignmentNews } from './assignment-news.js';
import { listChangesSince, listLinkedAssignments, sumLoads } from './assignment-store.js';
import { monitorKinds, parseNodeState } from './check-kinds.js';
import { type CheckPosition, type CheckRow, checkDaysOf, listAskedChecks, listChecks } from './check-store.js';
import { EventActs } from './event-acts.js';
import { type EventRow, type EventsPage, findEvent, listEvents } from './event-store.js';
import { GroupActs } from './group-acts.js';
import type { HeartbeatParts } from './heartbeat-parts.js';
import { History, type TimeLine } from './history.js';
import { Judges } from './judges.js';
import { Judging } from './judging.js';
import { LateResults } from './late-results.js';
import { maintenanceReads } from './maintenance-reads.js';
import { MonitorActs, type MonitorActsOptions } from './monitor-acts.js';
import type { MonitorCounts } from './monitor-counts.js';
import { takeNewestStates } from './newest-states-store.js';
import { NodeLoads } from './node-loads.js';
import { mailFlapping, mailOwner } from './notify.js';
import { Placing } from './placing.js';
import { Reading } from './reading.js';
import { Replacement } from './replacement.js';
import { Rollups } from './rollups.js';
import { deleteMonitorsOf, type KnownMonitorRow } from './store.js';
import { MonitorTransfer } from './transfer/monitor-transfer.js';
import { HEARTBEAT } from './type-names.js';
import { WindowActs } from './window-acts.js';
import { WindowTurns } from './window-turns.js';

export { AssignmentNews } from './assignment-news.js';
export { monitorKinds } from './check-kinds.js';
export { DueCount } from './due-count.js';
export { type Notify, performEffects } from './episodes.js';
export { deleteOldHappenings } from './event-store.js';
export type { HeartbeatParts, HeartbeatTimes } from './heartbeat-parts.js';
export { type MaintenanceAt, type MaintenanceNow, maintenanceReads } from './maintenance-reads.js';
export type { CountEvent, EventChange, MonitorCounts } from './monitor-counts.js';
export { mailOwner } from './notify.js';
export { HeartbeatCreatedSchema, HeartbeatDetailSchema } from './schema.js';
export { type JudgedRow, type NewState, readJudged, updateState } from './state-store.js';
export { lockMonitor } from './store.js';
export type { ImportReport } from './transfer/import-schema.js';
export type { MonitorTransfer } from './transfer/monitor-transfer.js';
export { type Effect, type EventType, transition } from './transition.js';
export { HEARTBEAT } from './type-names.js';
export { deleteOldUplinkLosses } from './uplink-store.js';
export { deleteMonitorsOf };

/** What nodes and evaluators need of monitors. */
export interface MonitorWork {
  /** What nodes deliver of monitors. */
  readonly kinds: readonly ResultKind[];
  /** What they tell before their backlog. */
  readonly states: readonly StateKind[];
  /** What a node is to watch. */
  readonly assigned: ReadAssigned;
  readonly news: AssignmentNews;
  readonly judges: Judges;
  readonly lateResults: LateResults;
  readonly rollups: Rollups;
  readonly windowTurns: WindowTurns;
  readonly replacement: Replacement;
  readonly asking: Asking;
  readonly placing: Placing;
  readonly loads: NodeLoads;
}

interface MonitorWorkOptions {
  readonly db: Knex;
  readonly bus: Bus;
  readonly directory: NodeDirectory;
  readonly findLink: (nodeId: string) => ({ lookForAssignments(): void } & AskedLink) | null;
  readonly mail: Pick<Mail, 'enqueue'>;
  readonly plans: Plans;
  /** Of the installation, 32 bytes: seals what of settings is never shown again. */
  readonly secretKey: Uint8Array;
  readonly counts: MonitorCounts;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Builds what runs behind monitors; nothing runs yet. */
export function openMonitorWork(options: MonitorWorkOptions): MonitorWork {
  const { db, bus, directory, findLink, mail, plans, counts, clock, log } = options;
  const judging = new Judging({
    maintenance: maintenanceReads.now,
    notify: mailOwner(mail),
    notifyFlapping: mailFlapping(mail),
    countEvent: (type, change) => counts.countEvent(type, change),
  });
  const judges = new Judges({ db, judging, onJudged: (seconds) => counts.observeJudging(seconds), clock, log });
  const news = new AssignmentNews({ bus, listSince: (since) => listChangesSince(db, since), findLink, clock, log });
  const loads = new NodeLoads({ read: () => sumLoads(db), clock });
  const placing = new Placing({ directory, loads, clock });
  const replacement = new Replacement({
    db,
    directory,
    placing,
    refreshLoads: () => loads.refresh(),
    onAssigned: (nodeIds) => news.announce(nodeIds),
    onDue: () => judges.look(),
    clock,
    log,
  });
  return {
    kinds: monitorKinds({ keptFor: checkDaysOf(plans), onDue: () => judges.look(), counts }),
    states: [
      {
        name: CHECK_KIND,
        parse: (_subject, body) => parseNodeState(body),
        onNewer: (nodeId, states) => {
          takeNewestStates(db, nodeId, states).then(
            () => judges.look(),
            (error: unknown) => log.warn({ err: error, nodeId }, 'newest states of monitors not taken'),
          );
        },
      },
    ],
    assigned: assignedWork(db, sealerOf(options)),
    news,
    judges,
    lateResults: new LateResults({ db, maintenance: maintenanceReads, clock, log }),
    rollups: new Rollups({ db, clock, log }),
    windowTurns: new WindowTurns({ db, mail, onDue: () => judges.look(), clock, log }),
    replacement,
    asking: new Asking({ bus, findLink }),
    placing,
    loads,
  };
}

/** For who works on monitors without nodes of its own, as a command does; the servers hear of it over the bus. */
export function openTransferAlone({
  bus,
  directory,
  log,
  ...own
}: Omit<MonitorActsParts, 'work'> & Pick<MonitorWorkOptions, 'bus' | 'directory' | 'log'>): MonitorTransfer {
  const { db, clock } = own;
  const news = new AssignmentNews({ bus, listSince: async () => [], findLink: () => null, clock, log });
  const loads = new NodeLoads({ read: () => sumLoads(db), clock });
  const options = { ...own, work: { news, loads, placing: new Placing({ directory, loads, clock }) } };
  return transferOf(options, new MonitorActs(actsOptionsOf(options)));
}

interface MonitorActsParts {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly policy: () => TargetPolicy;
  readonly work: Pick<MonitorWork, 'placing' | 'loads' | 'news'>;
  readonly secretKey: Uint8Array;
  readonly heartbeats: HeartbeatParts;
}

interface MonitorsOptions extends MonitorActsParts {
  readonly work: MonitorWork;
}

function actsOptionsOf(own: MonitorActsParts): MonitorActsOptions {
  const { placing, loads, news } = own.work;
  return {
    ...own,
    placing,
    refreshLoads: () => loads.refresh(),
    sealer: sealerOf(own),
    onAssigned: (nodeIds) => news.announce(nodeIds),
  };
}

function transferOf(own: MonitorActsParts, acts: MonitorActs): MonitorTransfer {
  return new MonitorTransfer({ ...own, acts, onAssigned: (nodeIds) => own.work.news.announce(nodeIds) });
}

/** Monitors as the API knows them. */
export class Monitors extends MonitorActs {
  readonly reading: Reading;
  readonly transfer: MonitorTransfer;
  readonly #history: History;
  readonly windows: WindowActs;
  readonly groups: GroupActs;
  readonly eventActs: EventActs;

  constructor(private readonly own: MonitorsOptions) {
    super(actsOptionsOf(own));
    const { db, clock, heartbeats } = own;
    const parts = { db, clock, maintenance: maintenanceReads };
    this.reading = new Reading({ ...parts, heartbeats });
    this.transfer = transferOf(own, this);
    this.#history = new History(parts);
    const acting = { db, clock, onDue: () => own.work.judges.look() };
    this.windows = new WindowActs(acting);
    this.groups = new GroupActs(acting);
    this.eventActs = new EventActs(acting);
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.own.clock.now();
  }

  /** Checks of a monitor, newest first. */
  checks(
    { key }: KnownMonitorRow,
    { fromMs, toMs, after, limit }: TimeRange & { readonly after: CheckPosition | null; readonly limit: number },
  ): Promise<CheckRow[]> {
    const range = { fromMs: fromMs ?? 0, toMs: toMs ?? this.now() + AHEAD_MS };
    return listChecks(this.own.db, { monitorKey: key, ...range, after, limit });
  }

  /** How much of the time a monitor was up. @throws ApiError MONITOR_NOT_FOUND, VALIDATION_FAILED */
  async uptime(id: string, account: Account, range: TimeRange): ReturnType<History['uptime']> {
    return this.#history.uptime(await this.get(id, account), range);
  }

  /** A time line of a monitor. @throws ApiError MONITOR_NOT_FOUND, NODE_NOT_FOUND, VALIDATION_FAILED */
  async timeLine(id: string, account: Account, asked: Parameters<History['timeLine']>[1]): Promise<TimeLine> {
    return this.#history.timeLine(await this.get(id, account), asked);
  }

  /**
   * Has a monitor checked at once by its nodes that are linked. @returns what has come when all have answered or the time is over
   * @throws ApiError VALIDATION_FAILED for a heartbeat, MONITOR_PAUSED, NODE_OFFLINE
   */
  async test(
    { id, key, type, status }: KnownMonitorRow,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<{ rows: CheckRow[]; waiting: readonly string[] }> {
    const { db, clock, work } = this.own;
    if (type === HEARTBEAT) throw noChecks();
    if (status !== 'active') throw new ApiError('MONITOR_PAUSED');
    const asked = await listLinkedAssignments(db, id);
    if (asked.length === 0) throw new ApiError('NODE_OFFLINE', { retryAfterSeconds: 30 });
    // clocks of nodes may be a little behind ours
    const since = new Date(this.now() - SKEW_MS);
    const before = new Set(
      (await listAskedChecks(db, key, since)).map(({ node_id, at }) => `${node_id} ${at.getTime()}`),
    );
    work.asking.ask(asked);
    const deadlineMs = clock.monotonicMs() + waitMs;
    for (;;) {
      const all = await listAskedChecks(db, key, since);
      const rows = all.filter(({ node_id, at }) => !before.has(`${node_id} ${at.getTime()}`));
      const waiting = asked.map(({ nodeId }) => nodeId).filter((nodeId) => !rows.some((row) => row.node_id === nodeId));
      if (waiting.length === 0 || clock.monotonicMs() >= deadlineMs || signal.aborted) return { rows, waiting };
      await delay(clock, LOOK_MS, signal).catch(() => {});
    }
  }

  /** A page of a monitor's events. @throws ApiError MONITOR_NOT_FOUND */
  async events(
    id: string,
    account: Account,
    page: Omit<EventsPage, 'monitorId'>,
  ): Promise<{ rows: EventRow[]; total: number }> {
    await this.get(id, account);
    return listEvents(this.own.db, { monitorId: id, ...page });
  }

  /** @throws ApiError NOT_FOUND */
  async event(id: string, account: Account): Promise<EventRow> {
    const event = await findEvent(this.own.db, id, account);
    if (event === null) throw new ApiError('NOT_FOUND');
    return event;
  }
}

/** Clocks of nodes may be a little ahead of ours. */
const AHEAD_MS = 120_000;
const SKEW_MS = 5_000;
/** How often somebody who waits for a check looks. */
const LOOK_MS = 200;

function noChecks(): ApiError {
  const message = 'is of type "heartbeat": no node checks that';
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { type: [{ code: 'not_supported', message }] } });
}

function sealerOf({ secretKey }: { readonly secretKey: Uint8Array }) {
  return createSealer(secretKey, 'monitor settings');
}

declare module '../../http/route.js' {
  interface Services {
    readonly monitors: Monitors;
  }
}
