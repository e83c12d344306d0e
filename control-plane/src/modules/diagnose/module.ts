import { Waiters } from '../../runtime/waiters.js';
import { defineModule } from '../module.js';
import { diagnoseActions } from './actions.js';
import { Diagnose } from './index.js';
import { DiagnoseMetrics } from './metrics.js';
import { ReportReader } from './report-reader.js';
import { ReportRuns } from './report-runs.js';
import { deleteAnonymousBefore, deleteReportsOf } from './report-store.js';
import { diagnoseRoutes } from './routes.js';

/** Time for which reports without an owner are kept, in milliseconds. */
const ANONYMOUS_MS = 7 * 86_400_000;

/** Diagnose: one report about a target, from several nodes, with findings and scores. */
export const diagnoseModule = defineModule({
  name: 'diagnose',
  tags: {
    Diagnose: 'Examine a target from several nodes at once: findings with a score, as a report that can be shared.',
  },
  actions: diagnoseActions,
  routes: diagnoseRoutes,
  metrics: DiagnoseMetrics,
  open(house, { probes, lookups }) {
    const { agentsDb, bus, clock, db, directory, geo, publicUrl, registry } = house;
    const log = house.log.child({ part: 'diagnose' });
    const waiters = new Waiters();
    bus.onMessage((message) => {
      if (message.type === 'reports') waiters.wake(message.ids);
    });
    const announce = (id: string) => {
      waiters.wake([id]);
      bus.broadcast({ type: 'reports', ids: [id] });
    };
    const asnOf = (address: string) => geo.locate(address)?.asn ?? null;
    const metrics = new DiagnoseMetrics(registry);
    const work = { db: agentsDb, probes, clock, log, announce };
    const running = new ReportReader({ ...work, wakeUps: waiters, asnOf });
    const runs = new ReportRuns({ ...work, reader: running, lookups, metrics });
    const reader = new ReportReader({ db, probes, wakeUps: waiters, clock, asnOf });
    return {
      service: new Diagnose({ db, clock, directory, probes, reader, runs, announce, publicUrl }),
      startables: [runs],
      upkeep: [() => deleteAnonymousBefore(agentsDb, clock.now() - ANONYMOUS_MS)],
      release: deleteReportsOf,
    };
  },
});
