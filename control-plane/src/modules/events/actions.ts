/** Acts on events that were set aside, in the audit log; the names are part of the public API. */
export const eventActions = ['event.retried', 'event.dropped'] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly events: (typeof eventActions)[number];
  }
}
