import { defineModule } from '../module.js';
import { rolloutActions } from './actions.js';
import { RolloutTurns } from './rollout-turns.js';
import { Rollouts } from './rollouts.js';
import { rolloutRoutes } from './routes.js';

/** Staged upgrades of many nodes. */
export const rolloutsModule = defineModule({
  name: 'rollouts',
  actions: rolloutActions,
  routes: rolloutRoutes,
  open({ db, agentsDb, directory, clock, log }) {
    const turns = new RolloutTurns({ db: agentsDb, directory, clock, log: log.child({ part: 'rollouts' }) });
    const rollouts = new Rollouts({ db, directory, wake: () => turns.look() });
    return { service: rollouts, startables: [turns], upkeep: [() => rollouts.deleteOutdated()] };
  },
});
