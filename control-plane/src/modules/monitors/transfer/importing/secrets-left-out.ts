import { MASK } from '../../definition/settings.js';
import { EntryError } from '../entry/entry.js';
import { isRecord } from '../entry/fields.js';

type Config = Readonly<Record<string, unknown>>;

/**
 * Settings of a file with the mask in place of each secret that it leaves out, so that the stored secret is kept.
 * `stored`: masked settings of the monitor that is replaced; null if the monitor is new.
 * @throws EntryError for a secret that is not stored
 */
export function withSecretsKept(config: unknown, leftOut: readonly string[], stored: Config | null): unknown {
  if (!isRecord(config)) return config;
  const whole: Record<string, unknown> = structuredClone(config);
  for (const path of new Set([...leftOut, ...maskedIn(config)])) {
    const [parent, name] = divided(path);
    if (!isAbsent(memberOf(whole, parent, name))) continue;
    if (memberOf(stored ?? {}, parent, name) !== MASK) throw unknownSecret(path);
    const members = whole[parent];
    whole[parent] = { ...(isRecord(members) ? members : {}), [name]: MASK };
  }
  return whole;
}

function divided(path: string): [parent: string, name: string] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
}

function maskedIn(config: Config): string[] {
  return Object.entries(config).flatMap(([parent, members]) =>
    isRecord(members)
      ? Object.entries(members).flatMap(([name, value]) => (value === MASK ? `${parent}.${name}` : []))
      : [],
  );
}

function memberOf(config: Config, parent: string, name: string): unknown {
  const members = Object.hasOwn(config, parent) ? config[parent] : null;
  return isRecord(members) && Object.hasOwn(members, name) ? members[name] : undefined;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === MASK;
}

function unknownSecret(path: string): EntryError {
  return new EntryError(
    `config.${path}`,
    'required',
    'is a secret, which exports do not contain: write it into the file',
  );
}
