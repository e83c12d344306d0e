/** Acts on probe tasks that the audit log keeps; part of the public API. */
export const probeActions = ['probe_task.shared', 'probe_task.unshared'] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly probes: (typeof probeActions)[number];
  }
}
