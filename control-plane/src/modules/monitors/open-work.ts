import type { Logger } from 'pino';
import type { House } from '../module.js';
import { Asking } from './acts/asking.js';
import { ExpiryWatch } from './checks/expiry-watch.js';
import { listChangesSince, sumLoads } from './definition/assignment-store.js';
import { Heartbeats } from './heartbeats/heartbeats.js';
import { Rollups } from './history/rollups.js';
import { Judges } from './judging/judges.js';
import { Judging } from './judging/judging.js';
import { NoDataWatch } from './judging/no-data-watch.js';
import { LateResults } from './late/late-results.js';
import { maintenanceReads } from './maintenance/maintenance-reads.js';
import { WindowTurns } from './maintenance/window-turns.js';
import type { MonitorMetrics } from './metrics.js';
import { AssignmentNews } from './placement/assignment-news.js';
import { NodeLoads } from './placement/node-loads.js';
import { Placing } from './placement/placing.js';
import { Replacement } from './placement/replacement.js';

/** Parts of monitors that run in the background, on the database connections for agents. */
export interface MonitorWork {
  readonly news: AssignmentNews;
  readonly asking: Asking;
  readonly judges: Judges;
  readonly windowTurns: WindowTurns;
  readonly replacement: Replacement;
  readonly lateResults: LateResults;
  readonly rollups: Rollups;
  readonly heartbeats: Heartbeats;
  readonly noData: NoDataWatch;
  readonly expiry: ExpiryWatch;
  readonly placing: Placing;
}

/** Creates the background work of monitors without starting it. */
export function openWork(house: House, metrics: MonitorMetrics): MonitorWork {
  const { agentsDb: db, bus, directory, links, mail, clock } = house;
  const log = house.log.child({ part: 'monitors' });
  const findLink = (nodeId: string) => links.find(nodeId);
  const judges = openJudges(house, metrics, log);
  const news = new AssignmentNews({ bus, listSince: (since) => listChangesSince(db, since), findLink, clock, log });
  const placing = new Placing({ directory, loads: new NodeLoads({ read: () => sumLoads(db), clock }), clock });
  const onDue = () => judges.look();
  return {
    news,
    asking: new Asking({ bus, findLink }),
    judges,
    windowTurns: new WindowTurns({ db, mail, onDue, clock, log }),
    replacement: new Replacement({
      db,
      directory,
      placing,
      onAssigned: (changes) => news.announce(changes),
      onDue,
      clock,
      log,
    }),
    lateResults: new LateResults({ db, maintenance: maintenanceReads, clock, log }),
    rollups: new Rollups({ db, clock, log }),
    heartbeats: new Heartbeats({
      ...house,
      watchDb: db,
      countEvent: (type, change) => metrics.countEvent(type, change),
      log: house.log.child({ part: 'heartbeats' }),
    }),
    noData: new NoDataWatch({ db, maintenance: maintenanceReads.now, clock, log }),
    expiry: new ExpiryWatch({ db, clock, log }),
    placing,
  };
}

function openJudges({ agentsDb: db, clock }: House, metrics: MonitorMetrics, log: Logger): Judges {
  const judging = new Judging({
    maintenance: maintenanceReads.now,
    countEvent: (type, change) => metrics.countEvent(type, change),
  });
  return new Judges({ db, judging, onJudged: (seconds) => metrics.observeJudging(seconds), clock, log });
}
