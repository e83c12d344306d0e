import { type TSchema, Type } from 'typebox';
import { defaultPlans, planNames, planNumberNames, planNumbers } from './numbers.js';

/** The numbers of a plan in API documents, as GET /v1/account/limits answers them. */
export const LimitsSchema = Type.Object(
  {
    plan: Type.Enum([...planNames], { type: 'string', examples: ['free'] }),
    ...Object.fromEntries(planNumberNames.map((name) => [name, numberSchema(name)])),
  },
  { additionalProperties: false, title: 'Limits' },
);

function numberSchema(name: (typeof planNumberNames)[number]): TSchema {
  const { about } = planNumbers[name];
  const examples = [defaultPlans.free[name]];
  if ('choices' in planNumbers[name]) return Type.Integer({ description: `${about}.`, examples });
  return Type.Union([Type.Integer(), Type.Null()], { description: `${about}; null: unlimited.`, examples });
}
