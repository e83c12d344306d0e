/** Acts on diagnose reports that the audit log keeps; part of the public API. */
export const diagnoseActions = [
  'diagnose_report.shared',
  'diagnose_report.unshared',
  'diagnose_report.deleted',
] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly diagnose: (typeof diagnoseActions)[number];
  }
}
