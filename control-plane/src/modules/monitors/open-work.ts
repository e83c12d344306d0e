import type { Rounds } from '../../runtime/background.js';
import type { Startable } from '../../runtime/startable.js';
import type { House } from '../module.js';
import { CheckRequests } from './acts/check-requests.js';
import { expiryWatch } from './checks/expiry-watch.js';
import { listChangesSince, sumLoads } from './definition/assignment-store.js';
import type { CountEvent } from './definition/monitor-counts.js';
import { Heartbeats } from './heartbeats/heartbeats.js';
import { rollups } from './history/rollups.js';
import { judgeMonitors } from './judging/judges.js';
import { Judging } from './judging/judging.js';
import { noDataWatch } from './judging/no-data-watch.js';
import { lateResults } from './late/late-results.js';
import { maintenanceReads } from './maintenance/maintenance-reads.js';
import { windowTurns } from './maintenance/window-turns.js';
import type { MonitorMetrics } from './metrics.js';
import { AssignmentAnnouncements, type AssignmentChange } from './placement/assignment-announcements.js';
import { NodeLoads } from './placement/node-loads.js';
import { Placing } from './placement/placing.js';
import { Replacement } from './placement/replacement.js';

/** Parts of monitors that run in the background, on the database connections for agents. */
export interface MonitorWork {
  readonly announcements: AssignmentAnnouncements;
  readonly checkRequests: CheckRequests;
  /** Judges due monitors. */
  readonly judges: Rounds;
  readonly heartbeats: Heartbeats;
  readonly placing: Placing;
  readonly startables: readonly Startable[];
}

/** Creates the background work of monitors without starting it. */
export function openWork(house: House, metrics: MonitorMetrics): MonitorWork {
  const { agentsDb: db, bus, directory, links, mail, clock } = house;
  const log = house.log.child({ part: 'monitors' });
  const findLink = (nodeId: string) => links.find(nodeId);
  const countEvent: CountEvent = (type, change) => metrics.countEvent(type, change);
  const judging = new Judging({ maintenance: maintenanceReads.now, countEvent });
  const onJudged = (seconds: number) => metrics.observeJudging(seconds);
  const { due: judges, stale, flapping } = judgeMonitors({ db, judging, onJudged, clock, log });
  const announcements = new AssignmentAnnouncements({
    bus,
    listSince: (since) => listChangesSince(db, since),
    findLink,
    clock,
    log,
  });
  const checkRequests = new CheckRequests({ bus, findLink });
  const placing = new Placing({ directory, loads: new NodeLoads({ read: () => sumLoads(db), clock }), clock });
  const onAssigned = (changes: readonly AssignmentChange[]) => announcements.announce(changes);
  const onDue = () => judges.look();
  const heartbeats = new Heartbeats({
    ...house,
    watchDb: db,
    countEvent,
    log: house.log.child({ part: 'heartbeats' }),
  });
  const startables = [
    announcements,
    checkRequests,
    judges,
    stale,
    flapping,
    windowTurns({ db, mail, onDue, clock, log }),
    new Replacement({ db, directory, placing, onAssigned, onDue, clock, log }),
    lateResults({ db, maintenance: maintenanceReads, clock, log }),
    rollups({ db, clock, log }),
    heartbeats,
    noDataWatch({ db, maintenance: maintenanceReads.now, clock, log }),
    expiryWatch({ db, clock, log }),
  ];
  return { announcements, checkRequests, judges, heartbeats, placing, startables };
}
