import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { type TSchema, Type } from 'typebox';
import {
  defaultPlans,
  type Plan,
  type PlanName,
  type Plans,
  planNames,
  planNumberNames,
  planNumbers,
} from './numbers.js';

const MOST = 1_000_000_000;

const checkOverrides = compileSchema(
  Type.Partial(Type.Object(Object.fromEntries(planNames.map((name) => [name, numbersSchema()]))), {
    additionalProperties: false,
  }),
);

function numbersSchema(): TSchema {
  const fields = planNumberNames.map((name) => {
    const { least, choices } = planNumbers[name] as { least: number; choices?: readonly number[] };
    const value =
      choices === undefined
        ? Type.Union([Type.Integer({ minimum: least, maximum: MOST }), Type.Null()])
        : Type.Enum([...choices], { type: 'integer' });
    return [name, Type.Optional(value)] as const;
  });
  return Type.Object(Object.fromEntries(fields), { additionalProperties: false });
}

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
  const overrides = checked.value as Partial<Record<PlanName, Partial<Plan>>>;
  const plans = planNames.map((name) => [name, Object.freeze({ ...defaultPlans[name], ...overrides[name] })] as const);
  return Object.freeze(Object.fromEntries(plans)) as Plans;
}
