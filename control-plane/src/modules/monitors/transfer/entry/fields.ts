import { EntryError } from './entry.js';

/** Reads the fields of an entry by their expected types, and records which were never read. */
export class Fields {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #unread: Set<string>;

  /** `path`: prefix of the names of fields in errors. @throws EntryError if the value is not an object */
  constructor(
    value: unknown,
    private readonly path = '',
  ) {
    if (!isRecord(value)) throw new EntryError(path === '' ? 'monitor' : path, 'type', 'must be an object');
    this.#value = value;
    this.#unread = new Set(Object.keys(value).filter((name) => !saysNothing(value[name])));
  }

  /** Name of a field in errors. */
  nameOf(field: string): string {
    return this.path === '' ? field : `${this.path}.${field}`;
  }

  /** Fields with a value that were never read. */
  get unread(): string[] {
    return [...this.#unread].map((field) => this.nameOf(field));
  }

  /** Marks fields as read that have no meaning here. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#unread.delete(name);
  }

  any(field: string): unknown {
    this.#unread.delete(field);
    return Object.hasOwn(this.#value, field) ? this.#value[field] : undefined;
  }

  /** Text in a field; null if there is none, or it is empty. @throws EntryError */
  text(field: string): string | null {
    const value = this.any(field);
    if (isEmpty(value)) return null;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value !== 'string') throw this.#wrong(field, 'must be a string');
    return value;
  }

  /** Trimmed text in a field. @throws EntryError if it is missing or empty */
  required(field: string): string {
    const text = this.text(field)?.trim() ?? '';
    if (text === '') throw new EntryError(this.nameOf(field), 'required', 'is required');
    return text;
  }

  /** @throws EntryError */
  number(field: string): number | null {
    const value = this.any(field);
    if (isEmpty(value)) return null;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) throw this.#wrong(field, 'must be a number');
    return number;
  }

  /** Boolean in a field, also as databases and YAML 1.1 write it: 0 and 1, yes and no. Null if there is none. @throws EntryError */
  flag(field: string): boolean | null {
    const value = this.any(field);
    if (isEmpty(value)) return null;
    const word = String(value).toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(word)) return true;
    if (['false', '0', 'no', 'off'].includes(word)) return false;
    throw this.#wrong(field, 'must be true or false');
  }

  /** List in a field; empty: none. @throws EntryError */
  list(field: string): readonly unknown[] {
    const value = this.any(field);
    if (isEmpty(value)) return [];
    if (!Array.isArray(value)) throw this.#wrong(field, 'must be a list');
    return value;
  }

  /** Fields of an object in a field, or null. @throws EntryError */
  fields(field: string): Fields | null {
    const value = this.any(field);
    return isEmpty(value) ? null : new Fields(value, this.nameOf(field));
  }

  /** Texts by name of an object in a field, or null. @throws EntryError */
  texts(field: string): Record<string, string> | null {
    const value = this.any(field);
    if (isEmpty(value)) return null;
    if (!isRecord(value)) throw this.#wrong(field, 'must be an object');
    const own = new Fields(value, this.nameOf(field));
    return Object.fromEntries(Object.keys(value).map((name) => [name, own.text(name) ?? '']));
  }

  #wrong(field: string, message: string): EntryError {
    return new EntryError(this.nameOf(field), 'type', message);
  }
}

/** True if a value is an object with named members. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function saysNothing(value: unknown): boolean {
  return isEmpty(value) || value === false || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
