import type { ProbeError } from '@vantage/shared/probe-types/error-codes.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import { isMeasurementType, type MeasurementType, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import type { ProbeSchemas } from './probe-schemas.js';

/** Fields of every result, even of one for a type that this build does not know. */
export interface RunResult {
  readonly success: boolean;
  readonly error: ProbeError | null;
  /** ISO 8601, the node's own clock. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly disturbed: boolean;
  readonly loop_lag_ms: number;
}

/** Start of a run on both clocks, and the delay of the event loop meanwhile. */
export interface RunTimes {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly lagMs: number;
  readonly isDisturbed: boolean;
}

/** Puts the time and the state of the measuring process around an engine's answer. */
export function withTimes(result: Pick<RunResult, 'success' | 'error'>, times: RunTimes): RunResult {
  // fields first, result spread after them: the other way round V8 builds a slow dictionary, 10 us instead of 0.6
  return {
    started_at: new Date(times.startedAt).toISOString(),
    duration_ms: roundMs(Math.max(0, times.durationMs)),
    disturbed: times.isDisturbed,
    loop_lag_ms: roundMs(times.lagMs),
    ...result,
  };
}

/** A complete result for a request that was not measured, even with an invalid type or spec. */
export function failedRun(
  schemas: ProbeSchemas,
  request: { readonly type: string; readonly spec: unknown },
  error: ProbeError,
  startedAt: number,
): RunResult {
  const times = { startedAt, durationMs: 0, lagMs: 0, isDisturbed: false };
  if (!isMeasurementType(request.type)) return withTimes({ success: false, error }, times);
  return withTimes(failedResult(request.type, usableSpec(schemas, request.type, request.spec), error), times);
}

/** The spec asked for, or one of defaults: a failed result repeats parameters (protocol, transport). */
function usableSpec<T extends MeasurementType>(schemas: ProbeSchemas, type: T, spec: unknown): ProbeSpecs[T] {
  try {
    return schemas.parseSpec(type, spec);
  } catch {
    return schemas.parseSpec(type, { target: '-', params: {} });
  }
}
