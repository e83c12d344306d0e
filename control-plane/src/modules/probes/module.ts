import { defineModule } from '../module.js';
import { probeActions } from './actions.js';
import { Probes } from './index.js';
import { openProbeWork } from './probe-work.js';
import { probeRoutes } from './routes.js';
import { dispatchStore } from './store.js';
import { deleteFullBuckets } from './target-budget-store.js';
import { TaskReader } from './task-reader.js';

/** One-shot probes: requests, dispatch to nodes, results. */
export const probesModule = defineModule({
  name: 'probes',
  tags: {
    Probes: 'One-shot measurements from many nodes at once: create one, then wait for it or stream its results.',
  },
  routes: probeRoutes,
  actions: probeActions,
  open(house) {
    const { config, db, agentsDb, clock, log, directory, lists, geo, limiter, metrics, publicUrl } = house;
    const work = openProbeWork({
      ...house,
      store: dispatchStore(agentsDb),
      log: log.child({ part: 'dispatch' }),
    });
    const { dispatch, recent, waiters } = work;
    const probes = new Probes({
      db,
      clock,
      directory,
      bus: house.bus,
      work,
      reader: new TaskReader({ db, waiters, recent, clock }),
      policy: () => lists.policy,
      limiter,
      plans: config.plans,
      publicUrl,
      metrics,
      asnOf: (address) => geo.locate(address)?.asn ?? null,
    });
    return { service: probes, startables: [dispatch], upkeep: [() => deleteFullBuckets(db)] };
  },
});
