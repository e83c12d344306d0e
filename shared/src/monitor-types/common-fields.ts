import { Type } from 'typebox';
import { AssertionSchema, MAX_ASSERTIONS } from '../assertions/schema.js';

/** Settings that every type has. */
export const commonFields = {
  upside_down: Type.Boolean({
    default: false,
    description: 'Expect failure: a failed check is ok, and an ok check fails. Degraded checks stay degraded.',
  }),
  assertions: Type.Array(AssertionSchema, {
    default: [],
    maxItems: MAX_ASSERTIONS,
    description:
      'Additional conditions for every check. An assertion that cannot be evaluated fails. Assertions about values that the type does not measure are refused.',
  }),
};
