import type { ProbeError } from './error-codes.js';
import { definitionOf, type ProbeResults, type ProbeSpecs, type ProbeType } from './index.js';

/** A complete result of a probe that failed before anything was measured. */
export function failedResult<T extends ProbeType>(type: T, spec: ProbeSpecs[T], error: ProbeError): ProbeResults[T] {
  return { ...(definitionOf(type).blank(spec) as object), success: false, error } as ProbeResults[T];
}
