import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { MASK } from '../deliveries/masking.js';
import type { ChannelType } from '../types/channel-type.js';

/** Settings of a channel, by field. */
export type ChannelConfig = Readonly<Record<string, unknown>>;

/** Splits settings into those that are shown, with asterisks in place of secrets, and the secrets by field. */
export function splitSecrets(
  type: ChannelType,
  config: ChannelConfig,
): { shown: ChannelConfig; secrets: ChannelConfig } {
  const shown: Record<string, unknown> = { ...config };
  const secrets: Record<string, unknown> = {};
  for (const field of type.sealed) {
    const value = config[field];
    if (value === undefined) continue;
    secrets[field] = value;
    shown[field] = isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, MASK])) : MASK;
  }
  return { shown, secrets };
}

/** Settings with their secrets. */
export function joinSecrets(shown: ChannelConfig, secrets: ChannelConfig): ChannelConfig {
  return { ...shown, ...secrets };
}

/**
 * Settings after a change: fields that it leaves out stay, null takes one away, and asterisks stand for the stored secret. An object
 * of secrets is replaced as a whole.
 */
export function mergeConfig(type: ChannelType, current: ChannelConfig, change: ChannelConfig): ChannelConfig {
  const merged: Record<string, unknown> = { ...current };
  for (const [field, value] of Object.entries(change)) {
    if (value === null) delete merged[field];
    else merged[field] = type.sealed.includes(field as never) ? unmasked(value, current[field]) : value;
  }
  return merged;
}

function unmasked(value: unknown, stored: unknown): unknown {
  if (value === MASK) return stored ?? MASK;
  if (!isObject(value)) return value;
  const known = isObject(stored) ? stored : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === MASK && Object.hasOwn(known, key) ? known[key] : item]),
  );
}

/**
 * Secrets that a change would send to another origin than they were given for: a caller who may change a channel could have them sent to a
 * host of their own.
 */
export function movedSecrets(
  type: ChannelType,
  current: ChannelConfig,
  { change, merged }: { readonly change: ChannelConfig; readonly merged: ChannelConfig },
): string[] {
  if (originsOf(type, current) === originsOf(type, merged)) return [];
  return (type.bound ?? []).filter((field) => {
    const given = change[field];
    const isKept = given === undefined || given === MASK || leaves(given).includes(MASK);
    return isKept && leaves(merged[field]).length > 0;
  });
}

function originsOf(type: ChannelType, config: ChannelConfig): string {
  return type
    .urls(config as never)
    .map((url) => (URL.canParse(url) ? new URL(url).origin : url))
    .join();
}

const checks = new Map<string, ReturnType<typeof compileSchema>>();

/** Everything wrong with settings, by the schema of their type; defaults are filled in. */
export function checkConfig(
  type: ChannelType,
  config: ChannelConfig,
): { readonly ok: true; readonly config: ChannelConfig } | { readonly ok: false; readonly details: FieldErrors } {
  const check = checks.get(type.name) ?? compileSchema(type.config);
  checks.set(type.name, check);
  const result = check(structuredClone(config));
  if (!result.ok) return { ok: false, details: inConfig(result.details) };
  const checked = result.value as ChannelConfig;
  const masked = type.sealed.filter((field) => leaves(checked[field]).includes(MASK));
  if (masked.length === 0) return { ok: true, config: checked };
  const message = 'send its value: none is stored';
  return {
    ok: false,
    details: Object.fromEntries(masked.map((field) => [`config.${field}`, [{ code: 'required', message }]])),
  };
}

function inConfig(details: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(details).map(([path, errors]) => [path === 'body' ? 'config' : `config.${path}`, errors]),
  );
}

const SHORTEST_PART = 6;

/** Texts that must appear nowhere: the sealed values, and of addresses the parts that servers repeat. */
export function secretTexts(type: ChannelType, config: ChannelConfig): string[] {
  const values = type.sealed.flatMap((field) => leaves(config[field]));
  const parts = values.flatMap((value) => {
    if (!URL.canParse(value)) return [];
    const { pathname, search, searchParams } = new URL(value);
    return [`${pathname}${search}`, ...pathname.split('/'), ...searchParams.values()];
  });
  return [...new Set([...values, ...parts.filter((part) => part.length >= SHORTEST_PART)])];
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isObject(value) ? Object.values(value).flatMap(leaves) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
