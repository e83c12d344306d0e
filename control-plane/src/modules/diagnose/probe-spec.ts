import { type MeasurementType, measurements, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { TaskKind } from './report-row.js';

/** Type of the measurement that a kind of task makes. */
export function typeOf(kind: TaskKind): Exclude<TaskKind, 'plain_http'> {
  return kind === 'plain_http' ? 'http' : kind;
}

/** Spec of a measurement with the default parameters. */
export function defaultSpec<T extends MeasurementType>(type: T, target: string): ProbeSpecs[T] {
  const checked = compileSchema(measurements[type].Spec)({ target, params: {} });
  if (!checked.ok) throw new RangeError(`no valid spec of type "${type}": ${JSON.stringify(checked.details)}`);
  return checked.value as ProbeSpecs[T];
}
