import {
  type MonitorType,
  monitorTypeNames,
  monitorTypeOf,
  monitorTypes,
} from '@vantage/shared/monitor-types/index.js';
import { secretPathsIn } from '@vantage/shared/monitor-types/secrets.js';
import { measurements, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { checkSpec } from '@vantage/shared/target-policy/spec.js';
import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../../http/errors.js';
import type { Sealer } from '../../sealing.js';

/** Settings of a monitor's type. */
export type Settings = Readonly<Record<string, unknown>>;

/** What is shown in the place of a secret, and means when it is sent back that the secret stays. */
export const MASK = '********';

const checks = new Map(monitorTypeNames.map((type) => [type, lazily(() => compileSchema(monitorTypes[type].Config))]));
const specChecks = new Map(
  monitorTypeNames.map((type) => [type, lazily(() => compileSchema(measurements[monitorTypeOf(type).probeType].Spec))]),
);

/** A value that is sealed, and where it stands. */
export interface Secret {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * Checks settings and target of a monitor, the defaults filled in, as far as that can be without resolving names.
 * @throws ApiError VALIDATION_FAILED, MONITOR_INVALID_TARGET
 */
export function parseSettings(type: MonitorType, target: string, given: Settings, policy: TargetPolicy): Settings {
  const { checkConfig, normalise } = monitorTypeOf(type);
  const config: Record<string, unknown> = structuredClone({ ...given });
  const checked = checks.get(type)?.()(config);
  const details = checked?.ok === false ? checked.details : checkConfig(config as never);
  if (Object.keys(details).length > 0) throw new ApiError('VALIDATION_FAILED', { details: under('config', details) });
  const whole = (normalise?.(config as never) ?? config) as Settings;
  checkTarget(type, target, whole, policy);
  return whole;
}

/** Takes the secrets out of settings: what may be shown, and what is sealed. */
export function splitSecrets(type: MonitorType, config: Settings): { shown: Settings; secrets: Secret[] } {
  const shown: Record<string, unknown> = structuredClone({ ...config });
  const secrets = secretPathsIn(config, monitorTypeOf(type).secrets).map((path) => {
    const value = valueAt(shown, path);
    setAt(shown, path, MASK);
    return { path, value };
  });
  return { shown, secrets };
}

/** Puts the secrets back; where settings were sent back as they were shown, the old ones. */
export function joinSecrets(config: Settings, secrets: readonly Secret[]): Settings {
  const whole: Record<string, unknown> = structuredClone({ ...config });
  for (const { path, value } of secrets) if (valueAt(whole, path) === MASK) setAt(whole, path, value);
  return whole;
}

/** Secrets as they are stored; null: there are none. */
export function sealSecrets(secrets: readonly Secret[], sealer: Sealer): Buffer | null {
  return secrets.length === 0 ? null : sealer.seal(Buffer.from(JSON.stringify(secrets)));
}

/** @throws SealBrokenError */
export function openSecrets(sealed: Buffer | null, sealer: Sealer): readonly Secret[] {
  return sealed === null ? [] : JSON.parse(sealer.open(sealed).toString());
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

function valueAt(config: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), config);
}

function setAt(config: object, path: readonly string[], value: unknown): void {
  const parent = valueAt(config, path.slice(0, -1));
  const last = path.at(-1);
  if (isObject(parent) && last !== undefined) parent[last] = value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
