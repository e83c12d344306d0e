import { cachedCount } from '../../runtime/cached-count.js';
import { defineModule } from '../module.js';
import { rolloutActions } from './actions.js';
import { RolloutMetrics } from './metrics.js';
import { rolloutTurns } from './rollout-turns.js';
import { Rollouts } from './rollouts.js';
import { rolloutRoutes } from './routes.js';
import { readOpenRollout } from './store.js';

/** Staged upgrades of many nodes. */
export const rolloutsModule = defineModule({
  name: 'rollouts',
  actions: rolloutActions,
  routes: rolloutRoutes,
  metrics: RolloutMetrics,
  open({ db, agentsDb, directory, registry, clock, log }) {
    const turns = rolloutTurns({ db: agentsDb, directory, clock, log: log.child({ part: 'rollouts' }) });
    new RolloutMetrics(registry).watchOpen(cachedCount(clock, () => readOpenRollout(agentsDb)));
    const rollouts = new Rollouts({ db, directory, wake: () => turns.look() });
    return { service: rollouts, startables: [turns], upkeep: [() => rollouts.deleteOutdated()] };
  },
});
