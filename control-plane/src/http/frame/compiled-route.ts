import { routeLimitOf } from '../rate-limit.js';
import type { AnyRoute } from '../route.js';
import { compileInput, type InputParser } from './input.js';
import { compileStrictChecks, type StrictChecks } from './strict.js';

/** Route definition with everything that can be computed before the first request. */
export interface CompiledRoute {
  readonly definition: AnyRoute;
  readonly parseInput: InputParser;
  /** True if a body is read. This includes operations that take none, so that a body with content is refused. */
  readonly hasBody: boolean;
  /** True if pages of other origins may read it: no credentials are required, reading changes nothing, and the definition does not forbid it. */
  readonly isOpenToOrigins: boolean;
  readonly routeLimit: NonNullable<AnyRoute['limit']>;
  readonly strict: StrictChecks | null;
}

/** @throws RangeError for a definition that contradicts itself */
export function compileRoute(definition: AnyRoute, isStrict: boolean): CompiledRoute {
  const { auth, method } = definition;
  return {
    definition,
    parseInput: compileInput(definition),
    hasBody: method !== 'GET',
    isOpenToOrigins: method === 'GET' && auth.kind === 'public' && definition.isClosedToOrigins !== true,
    routeLimit: routeLimitOf(definition),
    strict: isStrict ? compileStrictChecks(definition) : null,
  };
}
