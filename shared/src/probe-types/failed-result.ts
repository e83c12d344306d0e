import type { ProbeError } from './error-codes.js';
import { type MeasurementType, measurementOf, type ProbeResults, type ProbeSpecs } from './index.js';

/** A complete result of a probe that failed before anything was measured. */
export function failedResult<T extends MeasurementType>(
  type: T,
  spec: ProbeSpecs[T],
  error: ProbeError,
): ProbeResults[T] {
  return { ...(measurementOf(type).blank(spec) as object), success: false, error } as ProbeResults[T];
}
