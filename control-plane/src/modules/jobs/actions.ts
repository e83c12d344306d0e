/** Acts on the queue of jobs that the audit log keeps; part of the public API. */
export const jobActions = ['job.retried', 'job.deleted'] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly jobs: (typeof jobActions)[number];
  }
}
