import type { Plan, PlanName, Plans } from './numbers.js';

/** The numbers that hold for an owner: those of the plan. */
export function effectiveLimits(plans: Plans, { plan }: { readonly plan: PlanName }): Plan {
  return plans[plan];
}
