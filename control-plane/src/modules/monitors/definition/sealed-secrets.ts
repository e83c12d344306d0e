import { isMonitorType, type MonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import { type Secrecy, type SecretReach, sealedPathsIn } from '@vantage/shared/monitor-types/secrets.js';
import type { FieldErrors } from '@vantage/shared/validation.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError } from '../../../http/errors.js';
import { bindingOf, changedParts, type SecretBinding } from './secret-binding.js';
import { isWider, reachIn } from './secret-reach.js';
import { MASK, type Settings } from './settings.js';
import type { MonitorRow } from './store.js';

/** Sealed value with its place in the settings. */
export interface Secret {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Secret with the purpose that it was given for; both are sealed together. */
export interface BoundSecret extends Secret {
  readonly binding: SecretBinding | null;
  /** Nodes that may get the secret. */
  readonly reach: SecretReach;
}

export type StoredSettings = Pick<MonitorRow, 'type' | 'target' | 'config' | 'sealed_secrets'>;

/** The purpose that secrets are given for: where they go, and whose nodes may have them. */
export type SecretPurpose = Pick<BoundSecret, 'binding' | 'reach'>;

/** Splits settings into those that are stored in clear text and those that are sealed: secrets and confidential values. */
export function splitSecrets(type: MonitorType, config: Settings): { shown: Settings; secrets: Secret[] } {
  const shown: Record<string, unknown> = structuredClone({ ...config });
  const secrets = sealedPathsIn(config, monitorTypeOf(type).secrecyOf).map(({ path }) => {
    const value = valueAt(shown, path);
    setAt(shown, path, MASK);
    return { path, value };
  });
  return { shown, secrets };
}

/** Joins settings with secrets; a masked value that was sent back gets the previous secret. */
export function joinSecrets(config: Settings, secrets: readonly Secret[]): Settings {
  const whole: Record<string, unknown> = structuredClone({ ...config });
  for (const { path, value } of keptSecrets(config, secrets)) setAt(whole, path, value);
  return whole;
}

/** Opens confidential values, for callers who may read them. Secrets stay masked. @throws SealBrokenError */
export function shownSettings(row: StoredSettings, sealer: Sealer): Settings {
  const { type, config } = row;
  if (!isMonitorType(type) || row.sealed_secrets === null) return config;
  const isConfidential = pathsOf(type, config, 'confidential');
  if (isConfidential.size === 0) return config;
  const secrets = openSecrets(row, sealer).filter(({ path }) => isConfidential.has(JSON.stringify(path)));
  return joinSecrets(config, secrets);
}

function pathsOf(type: MonitorType, config: Settings, wanted: Secrecy): ReadonlySet<string> {
  const paths = sealedPathsIn(config, monitorTypeOf(type).secrecyOf).filter(({ secrecy }) => secrecy === wanted);
  return new Set(paths.map(({ path }) => JSON.stringify(path)));
}

/** Secrets that are kept: the settings have the mask in their place. */
export function keptSecrets<S extends Secret>(config: Settings, secrets: readonly S[]): S[] {
  return secrets.filter(({ path }) => valueAt(config, path) === MASK);
}

/** Secrets sealed for storage, bound to their purpose, or null. */
export function sealSecrets(secrets: readonly Secret[], purpose: SecretPurpose, sealer: Sealer): Buffer | null {
  if (secrets.length === 0) return null;
  const bound: readonly BoundSecret[] = secrets.map((secret) => ({ ...secret, ...purpose }));
  return sealer.seal(Buffer.from(JSON.stringify(bound)));
}

/**
 * Secrets of a stored monitor. Those sealed before bindings existed are bound to the present target of the monitor.
 * @throws SealBrokenError
 */
export function openSecrets(
  { target, config, sealed_secrets: sealed }: Omit<StoredSettings, 'type'>,
  sealer: Sealer,
): readonly BoundSecret[] {
  if (sealed === null) return [];
  const secrets: readonly (Secret & Partial<SecretPurpose>)[] = JSON.parse(sealer.open(sealed).toString());
  const own = purposeOf(target, config);
  return secrets.map(({ path, value, binding = own.binding, reach = own.reach }) => ({ path, value, binding, reach }));
}

export function purposeOf(target: string, config: Settings): SecretPurpose {
  return { binding: bindingOf(target, config), reach: reachIn(config) };
}

/** True if every secret is bound to the target of the monitor. */
export function areBoundTo(secrets: readonly BoundSecret[], binding: SecretBinding | null): boolean {
  return secrets.every((secret) => changedParts(secret.binding, binding).length === 0);
}

/** Checks that secrets were given for this purpose. @throws ApiError VALIDATION_FAILED with the path of each secret given for another target or for fewer nodes */
export function refuseMoved(secrets: readonly BoundSecret[], { binding, reach }: SecretPurpose): void {
  const moved = secrets.flatMap((secret) => {
    const parts = changedParts(secret.binding, binding);
    const changed = isWider(reach, secret.reach) ? [...parts, 'allow_secrets_on'] : parts;
    return changed.length === 0 ? [] : [{ path: secret.path, message: resend(changed) }];
  });
  refuse(moved);
}

/** Checks that every mask stands for a stored secret. @throws ApiError VALIDATION_FAILED with the path of each that does not */
export function refuseUnknown(type: MonitorType, config: Settings, known: readonly Secret[]): void {
  const masked = sealedPathsIn(config, monitorTypeOf(type).secrecyOf).filter(
    ({ path }) => valueAt(config, path) === MASK,
  );
  const stored = new Set(known.map(({ path }) => JSON.stringify(path)));
  const message = 'send its value: none is stored under this name';
  refuse(masked.filter(({ path }) => !stored.has(JSON.stringify(path))).map(({ path }) => ({ path, message })));
}

function refuse(secrets: readonly { readonly path: readonly string[]; readonly message: string }[]): void {
  if (secrets.length === 0) return;
  const details: FieldErrors = Object.fromEntries(
    secrets.map(({ path, message }) => [`config.${path.join('.')}`, [{ code: 'required', message }]]),
  );
  throw new ApiError('VALIDATION_FAILED', { status: 422, details });
}

function resend(changed: readonly string[]): string {
  return `send it again: it was given for another ${changed.join(', ')}`;
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
