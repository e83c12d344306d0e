import { compileInput, type InputParser } from './input.js';
import { limitNameOf } from './rate-limit.js';
import type { AnyRoute } from './route.js';
import { compileStrictChecks, type StrictChecks } from './strict.js';

/** A definition with everything that can be worked out before the first request. */
export interface CompiledRoute {
  readonly definition: AnyRoute;
  readonly parseInput: InputParser;
  /** Whether one is read: where none is taken too, to refuse what it holds. */
  readonly hasBody: boolean;
  /** Pages of other origins may read it: anybody may, and reading changes nothing. */
  readonly isOpenToOrigins: boolean;
  readonly limitName: NonNullable<AnyRoute['limit']>;
  readonly strict: StrictChecks | null;
}

/** @throws RangeError for a definition that contradicts itself */
export function compileRoute(definition: AnyRoute, isStrict: boolean): CompiledRoute {
  const { auth, method } = definition;
  return {
    definition,
    parseInput: compileInput(definition),
    hasBody: method !== 'GET',
    isOpenToOrigins: method === 'GET' && auth.kind === 'public',
    limitName: limitNameOf(definition),
    strict: isStrict ? compileStrictChecks(definition) : null,
  };
}
