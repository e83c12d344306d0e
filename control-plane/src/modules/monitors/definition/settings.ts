import {
  type MonitorType,
  monitorTypeNames,
  monitorTypeOf,
  monitorTypes,
} from '@vantage/shared/monitor-types/index.js';
import { measurements, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { checkSpec } from '@vantage/shared/target-policy/spec.js';
import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../../../http/errors.js';

/** Settings of a monitor's type. */
export type Settings = Readonly<Record<string, unknown>>;

/** Mask shown in place of a secret; when it is sent back, the secret is kept. */
export const MASK = '********';

const checks = new Map(monitorTypeNames.map((type) => [type, compileSchema(monitorTypes[type].Config)]));
const specChecks = new Map(
  monitorTypeNames.map((type) => [type, compileSchema(measurements[monitorTypeOf(type).probeType].Spec)]),
);

/**
 * Checks settings and target of a monitor, with defaults filled in, as far as possible without resolving names.
 * @throws ApiError VALIDATION_FAILED, MONITOR_INVALID_TARGET
 */
export function parseSettings(type: MonitorType, target: string, given: Settings, policy: TargetPolicy): Settings {
  const { checkConfig, normalise } = monitorTypeOf(type);
  const config: Record<string, unknown> = structuredClone({ ...given });
  const checked = checks.get(type)?.(config);
  const details = checked?.ok === false ? checked.details : checkConfig(config as never);
  if (Object.keys(details).length > 0) throw new ApiError('VALIDATION_FAILED', { details: under('config', details) });
  const whole = (normalise?.(config as never) ?? config) as Settings;
  checkTarget(type, target, whole, policy);
  return whole;
}

function checkTarget(type: MonitorType, target: string, config: Settings, policy: TargetPolicy): void {
  const { probeType, toSpec } = monitorTypeOf(type);
  try {
    const spec = toSpec(target, config as never);
    const checked = specChecks.get(type)?.(structuredClone(spec));
    if (checked?.ok === false) throw new ApiError('VALIDATION_FAILED', { details: fromSpec(checked.details) });
    checkSpec(probeType, spec as ProbeSpecs[typeof probeType], policy);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { kind, code, message } = error;
    const field = error.field.replace(/^params\./, 'config.');
    throw new ApiError(kind === 'refused' ? 'MONITOR_INVALID_TARGET' : 'VALIDATION_FAILED', {
      details: { [field]: [{ code, message }] },
    });
  }
}

function under(parent: string, details: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(details).map(([path, errors]) => [path === 'body' ? parent : `${parent}.${path}`, errors]),
  );
}

/** Errors of a probe, named by the settings that it was made of. */
function fromSpec(details: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(details).map(([path, errors]) => [path.replace(/^params\b/, 'config'), errors]),
  );
}
