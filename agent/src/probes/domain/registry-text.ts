import { MAX_REGISTRATION_ENTRIES } from '@vantage/shared/probe-types/domain.js';

/** Characters of a text of a registry that are kept. */
const MAX_LENGTH = 200;

/** Text of a registry without controls and surplus spaces; null where nothing is left. */
export function cleanText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.slice(0, 2 * MAX_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ');
  return text.trim().slice(0, MAX_LENGTH).trim() || null;
}

/** Country by two letters (ISO 3166-1 alpha-2); null for anything else. */
export function countryCode(value: unknown): string | null {
  return typeof value === 'string' && /^\s*[a-z]{2}\s*$/i.test(value) ? value.trim().toUpperCase() : null;
}

/** Name of a name server: lower case, without its final dot; null for what is no host name. */
export function nameServerName(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 254) return null;
  const name = value.trim().toLowerCase().replace(/\.$/, '');
  return /^(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/.test(name) ? name : null;
}

/** Entries of a list, each once, as many as a result keeps. */
export function keptEntries(values: readonly (string | null)[]): string[] {
  const entries = new Set(values.filter((value) => value !== null));
  return [...entries].slice(0, MAX_REGISTRATION_ENTRIES);
}

/** Years of four digits: what a schema takes for a date. */
export function isCalendarDate(atMs: number): boolean {
  return atMs >= Date.UTC(1980, 0) && atMs < Date.UTC(10_000, 0);
}
