import type { AnyRoute } from '../../http/route.js';
import { abortRollout, pauseRollout, resumeRollout } from './routes/change-rollout.js';
import { createRollout } from './routes/create-rollout.js';
import { getRollout, listRolloutNodes, listRollouts } from './routes/read-rollouts.js';

/** Every operation on roll-outs. */
export const rolloutRoutes: readonly AnyRoute[] = [
  listRollouts,
  createRollout,
  getRollout,
  listRolloutNodes,
  pauseRollout,
  resumeRollout,
  abortRollout,
];
