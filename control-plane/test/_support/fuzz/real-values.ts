import fc from 'fast-check';
import type { Part } from './operations.js';

const MARK = '@real:';
const ID = /^([a-z]+_)[1-9A-HJ-NP-Za-km-z]{22}$/;
const KEPT = 40;

/** Every id in a text, except those of requests. */
export function idsIn(text: string): string[] {
  const ids = text.match(/\b[a-z]+_[1-9A-HJ-NP-Za-km-z]{22}\b/g) ?? [];
  return ids.filter((id) => !id.startsWith('req_'));
}

/** A stand-in for a text from an earlier response; `key` is a property's name or an id's pattern. */
export function realText(key: string): fc.Arbitrary<string> {
  return fc.nat({ max: KEPT - 1 }).map((index) => `${MARK}${index}:${key}`);
}

/**
 * Values of earlier responses, to be requested again. Generated values refer to them by number, so that a seed makes
 * the same requests in every run.
 */
export class RealValues {
  readonly #byKey = new Map<string, string[]>();
  /** Ids with the path of the operation that returned them. */
  readonly #byPath = new Map<string, string[]>();

  /** Remembers the texts of a response by the names of their properties, and its ids. */
  collect(path: string, value: Part, name = ''): void {
    if (typeof value === 'string') this.#note(path, value, name);
    else if (Array.isArray(value)) for (const item of value) this.collect(path, item, name);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) this.collect(path, child, key);
    }
  }

  /** Replaces the stand-ins of a value; those without a known value become ids that do not exist. */
  fill(value: Part): Part {
    if (typeof value === 'string') return value.startsWith(MARK) ? this.#real(value) : value;
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, this.fill(child)]));
  }

  /** An id for a path parameter: the caller's own, or one that similar operations returned. */
  idFor(path: string, index: number, own: readonly string[]): string {
    const words = new Set(path.split('/'));
    const likeness = (other: string) => other.split('/').filter((word) => words.has(word)).length;
    const groups = [...this.#byPath].toSorted(([a], [b]) => likeness(b) - likeness(a)).slice(0, 2);
    const ids = [...own, ...groups.flatMap(([, found]) => found.slice(-10))];
    return ids[index % Math.max(ids.length, 1)] ?? 'n_1111111111111111111111';
  }

  #note(path: string, text: string, name: string): void {
    push(this.#byKey, name === 'next_cursor' ? 'cursor' : name, text);
    const prefix = ID.exec(text)?.[1];
    if (prefix === undefined || prefix === 'req_') return;
    push(this.#byKey, prefix, text);
    push(this.#byPath, path, text);
  }

  #real(mark: string): string {
    const [, index = '0', key = ''] = /^@real:(\d+):(.*)$/s.exec(mark) ?? [];
    const prefix = /^\^([a-z]+_)\[/.exec(key)?.[1];
    const known = this.#byKey.get(prefix ?? key) ?? [];
    return known[Number(index) % Math.max(known.length, 1)] ?? `${prefix ?? 'x_'}1111111111111111111111`;
  }
}

function push(map: Map<string, string[]>, key: string, text: string): void {
  const list = map.get(key) ?? [];
  if (!list.includes(text)) list.push(text);
  map.set(key, list.slice(-KEPT));
}
