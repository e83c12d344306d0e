/** Acts on lists of addresses, in the audit log; the names are part of the public API. */
export const lookupActions = ['reputation_list.accepted'] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly lookups: (typeof lookupActions)[number];
  }
}
