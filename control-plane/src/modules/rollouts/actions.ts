/** Acts on roll-outs that the audit log keeps; part of the public API. */
export const rolloutActions = [
  'rollout.created',
  'rollout.paused',
  'rollout.resumed',
  'rollout.aborted',
  'rollout.halted',
  'rollout.completed',
] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly rollouts: (typeof rolloutActions)[number];
  }
}
