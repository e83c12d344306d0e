/** Acts on monitors, groups, maintenance windows and events that the audit log keeps; part of the public API. */
export const monitorActions = [
  'monitor.created',
  'monitor.changed',
  'monitor.deleted',
  'monitor.paused',
  'monitor.resumed',
  'monitor.archived',
  'monitor_group.created',
  'monitor_group.changed',
  'monitor_group.deleted',
  'maintenance_window.created',
  'maintenance_window.changed',
  'maintenance_window.deleted',
  'monitor_event.acknowledged',
  'monitor_event.resolved',
  'monitor_event.false_positive_set',
  'monitor_event.notes_set',
  'monitor.token_rotated',
] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly monitors: (typeof monitorActions)[number];
  }
}
