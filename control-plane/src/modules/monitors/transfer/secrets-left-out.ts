import { MASK } from '../settings.js';
import { EntryError } from './entry.js';
import { isRecord } from './fields.js';

type Config = Readonly<Record<string, unknown>>;

/**
 * Settings of a file with the mask in the place of each secret that it leaves out, so that the one which is stored stays.
 * `stored`: settings of the monitor that is replaced, as they are shown; null: it is a new one.
 * @throws EntryError for a secret that nobody knows
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
  return new EntryError(`config.${path}`, 'required', 'is a secret, which exports leave out: write it into the file');
}
