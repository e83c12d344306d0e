export { revokeAlertSettings } from './alert-release.js';
export type { DeliveryCounts } from './deliveries/counts.js';
export type { AlertStatus } from './operator-view.js';
export { policyReferences } from './policies/policy-references.js';
export type { AlertCounts } from './relay/alert-counts.js';
