export type { AlertStatus } from './operator-view.js';
export { policyReferences } from './policies/policy-references.js';
