import { Type } from 'typebox';
import { AssertionSchema, MAX_ASSERTIONS } from '../assertions/schema.js';

/** Settings that every type has. */
export const commonFields = {
  upside_down: Type.Boolean({
    default: false,
    description: 'Expect failure: a check that fails is ok, and one that is ok fails. What is degraded stays so.',
  }),
  assertions: Type.Array(AssertionSchema, {
    default: [],
    maxItems: MAX_ASSERTIONS,
    description:
      'What must be true of every check besides. One that cannot be evaluated fails. Those a type does not measure are refused.',
  }),
};
