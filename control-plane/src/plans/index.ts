export { effectiveLimits } from './effective-limits.js';
export { LimitsSchema } from './limits-schema.js';
export { defaultPlans, type Plan, type PlanName, type Plans, planNames } from './numbers.js';
export { PlansError, parsePlans } from './overrides.js';
export { type FixedCap, type PlanCap, type ReserveAt, reserve, reserveFixed } from './reserve.js';
