import type { Rollouts } from './rollouts.js';

export type { RolloutNodeState } from './rollout.js';
export type { CountedRollout } from './rollouts.js';
export { rolloutView } from './view.js';

declare module '../../http/route.js' {
  interface Services {
    readonly rollouts: Rollouts;
  }
}
