import type { FieldErrors } from '@vantage/shared/validation.js';
import type { Knex } from 'knex';
import { ApiError, capReached } from '../http/errors.js';
import type { LockedOwner } from '../owners/index.js';
import { effectiveLimits } from './effective-limits.js';
import type { Plan, Plans } from './numbers.js';

/** Cap on the number of rows of one kind that an owner may have. */
interface Cap {
  /** The field in `details` of a refusal. */
  readonly field: string;
  count(trx: Knex, ownerId: string): Promise<number>;
}

/** A cap that is a number of the plan. */
export interface PlanCap extends Cap {
  readonly number: { [N in keyof Plan]: null extends Plan[N] ? N : never }[keyof Plan];
  /** Error code of a refusal: monitors and tokens have codes of their own. Default: FEATURE_LOCKED. */
  readonly code?: 'MONITOR_LIMIT_EXCEEDED' | 'TOKEN_LIMIT_EXCEEDED';
}

/** A cap that no plan lifts. */
export interface FixedCap extends Cap {
  readonly most: number;
  /** Default: VALIDATION_FAILED, status 422. */
  readonly code?: 'TOKEN_LIMIT_EXCEEDED';
}

/** Plans as they are configured, and milliseconds since the epoch. */
export interface ReserveAt {
  readonly plans: Plans;
  readonly nowMs: number;
}

/**
 * Checks that a locked owner may have one more, until the transaction ends.
 * @throws ApiError of the cap, with `details` that name the plan, the current and the greatest number
 */
export async function reserve(
  trx: Knex,
  owner: LockedOwner,
  { field, number, code, count }: PlanCap,
  { plans, nowMs }: ReserveAt,
): Promise<void> {
  const most = effectiveLimits(plans, owner)[number];
  if (most === null) return;
  const used = await count(trx, owner.id);
  if (used < most) return;
  const details = refused(field, `${used} exist, and the plan ${owner.plan} allows ${most}`);
  throw code === undefined ? new ApiError('FEATURE_LOCKED', { details }) : capReached(code, most, nowMs, details);
}

/** Checks like `reserve`, for a cap that no plan lifts. @throws ApiError of the cap */
export async function reserveFixed(
  trx: Knex,
  owner: LockedOwner,
  { field, most, code, count }: FixedCap,
  nowMs: number,
): Promise<void> {
  const used = await count(trx, owner.id);
  if (used < most) return;
  const details = refused(field, `${used} exist, and at most ${most} are allowed`);
  throw code === undefined
    ? new ApiError('VALIDATION_FAILED', { status: 422, details })
    : capReached(code, most, nowMs, details);
}

function refused(field: string, message: string): FieldErrors {
  return { [field]: [{ code: 'refused', message }] };
}
