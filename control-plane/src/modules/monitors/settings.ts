import {
  type MonitorType,
  monitorTypeNames,
  monitorTypeOf,
  monitorTypes,
} from '@vantage/shared/monitor-types/index.js';
import { type ProbeSpecs, probeTypes } from '@vantage/shared/probe-types/index.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { checkSpec } from '@vantage/shared/target-policy/spec.js';
import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../../http/errors.js';

/** Settings of a monitor's type. */
export type Settings = Readonly<Record<string, unknown>>;

/** What is shown in the place of a secret, and means when it is sent back that the secret stays. */
export const MASK = '********';

const checks = new Map(monitorTypeNames.map((type) => [type, lazily(() => compileSchema(monitorTypes[type].Config))]));
const specChecks = new Map(
  monitorTypeNames.map((type) => [type, lazily(() => compileSchema(probeTypes[monitorTypeOf(type).probeType].Spec))]),
);

/**
 * Checks settings and target of a monitor, the defaults filled in, as far as that can be without resolving names.
 * @throws ApiError VALIDATION_FAILED, MONITOR_INVALID_TARGET
 */
export function parseSettings(type: MonitorType, target: string, given: Settings, policy: TargetPolicy): Settings {
  const config: Record<string, unknown> = structuredClone({ ...given });
  const checked = checks.get(type)?.()(config);
  if (checked?.ok === false) throw new ApiError('VALIDATION_FAILED', { details: under('config', checked.details) });
  checkTarget(type, target, config, policy);
  return config;
}

/** Takes the secrets out of settings: what may be shown, and what is sealed, by their paths. */
export function splitSecrets(
  type: MonitorType,
  config: Settings,
): { shown: Settings; secrets: Record<string, unknown> } {
  const shown: Record<string, unknown> = structuredClone({ ...config });
  const secrets: Record<string, unknown> = {};
  for (const path of monitorTypeOf(type).secrets) {
    const value = valueAt(shown, path);
    if (value === undefined) continue;
    secrets[path] = value;
    setAt(shown, path, MASK);
  }
  return { shown, secrets };
}

/** Puts the secrets back; where settings were sent back as they were shown, the old ones. */
export function joinSecrets(config: Settings, secrets: Readonly<Record<string, unknown>>): Settings {
  const whole: Record<string, unknown> = structuredClone({ ...config });
  for (const [path, value] of Object.entries(secrets)) {
    if (valueAt(whole, path) === MASK) setAt(whole, path, value);
  }
  return whole;
}

function checkTarget(type: MonitorType, target: string, config: Settings, policy: TargetPolicy): void {
  const { probeType, toSpec } = monitorTypeOf(type);
  try {
    const spec = toSpec(target, config as never);
    const checked = specChecks.get(type)?.()(structuredClone(spec));
    if (checked?.ok === false) throw new ApiError('VALIDATION_FAILED', { details: fromSpec(checked.details) });
    checkSpec(probeType, spec as ProbeSpecs[typeof probeType], policy);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const isRefused = error.kind === 'refused';
    const field = error.field.replace(/^params\./, 'config.');
    throw new ApiError(isRefused ? 'MONITOR_INVALID_TARGET' : 'VALIDATION_FAILED', {
      details: { [field]: [{ code: isRefused ? 'refused' : 'format', message: error.message }] },
    });
  }
}

function under(parent: string, details: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(details).map(([path, errors]) => [path === 'body' ? parent : `${parent}.${path}`, errors]),
  );
}

/** What is wrong with the probe of a check is wrong with the setting it was made of. */
function fromSpec(details: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(details).map(([path, errors]) => [path.replace(/^params\b/, 'config'), errors]),
  );
}

function valueAt(config: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), config);
}

function setAt(config: object, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), config);
  if (isObject(parent)) parent[last] = value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
