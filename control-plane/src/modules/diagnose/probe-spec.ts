import { type MeasurementType, measurements, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { TaskKind } from './report-row.js';

/** Type of the measurement that a kind of task makes. */
export function typeOf(kind: TaskKind): Exclude<TaskKind, 'plain_http'> {
  return kind === 'plain_http' ? 'http' : kind;
}

/** Parameters that are not the default ones. Of four packets, the usual number, a lost one is already more than a fifth. */
const ownParams: Readonly<Partial<Record<MeasurementType, object>>> = { ping: { count: 10, interval_ms: 300 } };

/** Spec of a measurement as reports request it. */
export function reportSpec<T extends MeasurementType>(type: T, target: string): ProbeSpecs[T] {
  const checked = compileSchema(measurements[type].Spec)({ target, params: ownParams[type] ?? {} });
  if (!checked.ok) throw new RangeError(`no valid spec of type "${type}": ${JSON.stringify(checked.details)}`);
  return checked.value as ProbeSpecs[T];
}
