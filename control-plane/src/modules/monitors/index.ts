import type { Clock } from '@vantage/shared/clock.js';
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
import { assignedWork } from './assigned-work.js';
import { AssignmentNews } from './assignment-news.js';
import { listChangesSince, sumLoads } from './assignment-store.js';
import { monitorKinds, parseNodeState } from './check-kinds.js';
import { type CheckPosition, type CheckRow, listChecks } from './check-store.js';
import { type EventRow, findEvent, listEvents } from './event-store.js';
import { Judges } from './judges.js';
import { Judging } from './judging.js';
import { noWindows } from './maintenance-reads.js';
import { MonitorActs } from './monitor-acts.js';
import { takeNewestStates } from './newest-states-store.js';
import { NodeLoads } from './node-loads.js';
import { mailOwner } from './notify.js';
import { Placing } from './placing.js';
import { Reading } from './reading.js';
import { Replacement } from './replacement.js';
import type { MonitorFilter } from './store.js';
import type { MonitorExport } from './transfer/export-schema.js';
import { exportMonitors } from './transfer/exporting.js';
import { Importing } from './transfer/importing.js';

export type { ImportReport } from './transfer/import-schema.js';

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
  readonly replacement: Replacement;
  readonly placing: Placing;
  readonly loads: NodeLoads;
}

interface MonitorWorkOptions {
  readonly db: Knex;
  readonly bus: Bus;
  readonly directory: NodeDirectory;
  readonly findLink: (nodeId: string) => { lookForAssignments(): void } | null;
  readonly mail: Pick<Mail, 'enqueue'>;
  /** Of the installation, 32 bytes: seals what of settings is never shown again. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Builds what runs behind monitors; nothing runs yet. */
export function openMonitorWork(options: MonitorWorkOptions): MonitorWork {
  const { db, bus, directory, findLink, mail, clock, log } = options;
  const judging = new Judging({ maintenance: noWindows.now, notify: mailOwner(mail) });
  const judges = new Judges({ db, judging, clock, log });
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
    kinds: monitorKinds(() => judges.look()),
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
    replacement,
    placing,
    loads,
  };
}

/** Monitors for who works on them without nodes of its own, as a command does; the servers hear of it over the bus. */
export function openMonitorsAlone({
  bus,
  directory,
  log,
  ...own
}: Omit<MonitorsOptions, 'work'> & Pick<MonitorWorkOptions, 'bus' | 'directory' | 'log'>): Monitors {
  const { db, clock } = own;
  const news = new AssignmentNews({ bus, listSince: async () => [], findLink: () => null, clock, log });
  const loads = new NodeLoads({ read: () => sumLoads(db), clock });
  return new Monitors({ ...own, work: { news, loads, placing: new Placing({ directory, loads, clock }) } });
}

interface MonitorsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly policy: () => TargetPolicy;
  readonly work: Pick<MonitorWork, 'placing' | 'loads' | 'news'>;
  readonly secretKey: Uint8Array;
}

/** Monitors as the API knows them. */
export class Monitors extends MonitorActs {
  readonly reading: Reading;
  readonly importing: Importing;

  constructor(private readonly own: MonitorsOptions) {
    super({
      ...own,
      placing: own.work.placing,
      refreshLoads: () => own.work.loads.refresh(),
      sealer: sealerOf(own),
      onAssigned: (nodeIds) => own.work.news.announce(nodeIds),
    });
    this.reading = new Reading({ db: own.db, clock: own.clock, maintenance: noWindows });
    this.importing = new Importing({ ...own, acts: this, onAssigned: (nodeIds) => own.work.news.announce(nodeIds) });
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.own.clock.now();
  }

  /** What an import takes to make the same monitors again. */
  export(account: Account, filter: MonitorFilter): Promise<MonitorExport> {
    return exportMonitors(this.own, account, filter);
  }

  /** Checks of a monitor, newest first. @throws ApiError MONITOR_NOT_FOUND */
  async checks(
    id: string,
    account: Account,
    { fromMs, toMs, after, limit }: TimeRange & { readonly after: CheckPosition | null; readonly limit: number },
  ): Promise<CheckRow[]> {
    const { key } = await this.get(id, account);
    const [from, to] = [new Date(fromMs ?? 0), new Date(toMs ?? this.now() + AHEAD_MS)];
    return listChecks(this.own.db, { monitorKey: key, from, to, after, limit });
  }

  /** A page of a monitor's events. @throws ApiError MONITOR_NOT_FOUND */
  async events(
    id: string,
    account: Account,
    page: { readonly limit: number; readonly offset: number },
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

function sealerOf({ secretKey }: { readonly secretKey: Uint8Array }) {
  return createSealer(secretKey, 'monitor settings');
}

declare module '../../http/route.js' {
  interface Services {
    readonly monitors: Monitors;
  }
}
