import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { Type } from 'typebox';
import { type CheckDays, checkDayClasses } from './db/partitions.js';

/** What an account may do; null = unlimited. */
export interface Plan {
  readonly requestsPerMinute: number | null;
  readonly nodeTestsPerDay: number | null;
  readonly monitors: number | null;
  readonly minIntervalSeconds: number | null;
  readonly members: number | null;
  /** Nodes an account may have, and open enrollment tokens. */
  readonly nodes: number | null;
  /** Days that checks of monitors are kept after their own. */
  readonly checkDays: CheckDays;
}

/** The one list of plans. */
export const planNames = ['anonymous', 'free', 'pro', 'business', 'unlimited'] as const;
export type PlanName = (typeof planNames)[number];
export type Plans = Readonly<Record<PlanName, Plan>>;

/** Plans as they are unless VANTAGE_PLANS says otherwise. */
export const defaultPlans: Plans = {
  anonymous: { ...plan(30, 250, 0, null, 0, 0), checkDays: 7 },
  free: { ...plan(60, 1_000, 10, 60, 1, 5), checkDays: 7 },
  pro: { ...plan(300, 20_000, 100, 30, 5, 50), checkDays: 30 },
  business: { ...plan(1_200, 200_000, 1_000, 10, 50, 500), checkDays: 90 },
  unlimited: { ...plan(null, null, null, null, null, null), checkDays: 90 },
};

function plan(
  requestsPerMinute: number | null,
  nodeTestsPerDay: number | null,
  monitors: number | null,
  minIntervalSeconds: number | null,
  members: number | null,
  nodes: number | null,
): Omit<Plan, 'checkDays'> {
  return { requestsPerMinute, nodeTestsPerDay, monitors, minIntervalSeconds, members, nodes };
}

const count = (minimum: number) =>
  Type.Optional(Type.Union([Type.Integer({ minimum, maximum: 1_000_000_000 }), Type.Null()]));
const override = Type.Object(
  {
    requests_per_minute: count(1),
    node_tests_per_day: count(0),
    monitors: count(0),
    min_interval_s: count(10),
    members: count(0),
    nodes: count(0),
    check_days: Type.Optional(Type.Enum([...checkDayClasses], { type: 'integer' })),
  },
  { additionalProperties: false },
);
const overrides = Type.Partial(
  Type.Object({ anonymous: override, free: override, pro: override, business: override, unlimited: override }),
  { additionalProperties: false },
);
const checkOverrides = compileSchema(overrides);

/** VANTAGE_PLANS is JSON but not of its form; `details` says where. */
export class PlansError extends Error {
  override readonly name = 'PlansError';
  constructor(readonly details: FieldErrors) {
    const complaints = Object.entries(details).map(
      ([path, errors]) => `${path} ${errors.map(({ message }) => message).join(' or ')}`,
    );
    super(complaints.join('; '));
  }
}

/** The default plans with any of their numbers replaced: `{"free": {"monitors": 20}}`. @throws PlansError */
export function parsePlans(json: unknown): Plans {
  const checked = checkOverrides(json);
  if (!checked.ok) throw new PlansError(checked.details);
  const plans = planNames.map((name) => [name, overridden(defaultPlans[name], checked.value[name] ?? {})] as const);
  return Object.freeze(Object.fromEntries(plans)) as Plans;
}

function overridden(base: Plan, changes: Type.Static<typeof override>): Plan {
  const or = (changed: number | null | undefined, standard: number | null) =>
    changed === undefined ? standard : changed;
  return Object.freeze({
    requestsPerMinute: or(changes.requests_per_minute, base.requestsPerMinute),
    nodeTestsPerDay: or(changes.node_tests_per_day, base.nodeTestsPerDay),
    monitors: or(changes.monitors, base.monitors),
    minIntervalSeconds: or(changes.min_interval_s, base.minIntervalSeconds),
    members: or(changes.members, base.members),
    nodes: or(changes.nodes, base.nodes),
    checkDays: changes.check_days ?? base.checkDays,
  });
}

declare module './http/route.js' {
  interface Services {
    readonly plans: Plans;
  }
}
