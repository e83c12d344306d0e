import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { complaintOf, unknownField } from './complaints.js';
import type { FieldError, FieldErrors } from './field-errors.js';
import { lazily } from './lazily.js';

export { type FieldError, type FieldErrors, fieldErrorCodes } from './field-errors.js';

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly details: FieldErrors };

// ajv-formats is CommonJS whose default export arrives wrapped under nodenext
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

const strictAjv = makeAjv({ useDefaults: true });
const coercingAjv = makeAjv({ useDefaults: true, coerceTypes: true });
// reporting the errors of a hundred thousand entries takes half a second, for no reader
const testingAjv = makeAjv({ useDefaults: false, allErrors: false });

/** Fields a refusal names at most. */
const MAX_COMPLAINTS = 100;

function makeAjv(options: { useDefaults: boolean; coerceTypes?: boolean; allErrors?: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // the schemas are part of the OpenAPI document, which is validated; compiling the schema of schemas takes 50 ms
    validateSchema: false,
    meta: false,
    // tidying the generated code takes as long as generating it and makes no check faster (measured 2026-11, Node 20)
    code: { optimize: false },
    // errors have the schema of their field, with its example
    verbose: true,
    ...options,
  });
  addFormats(ajv);
  ajv.addKeyword('example');
  return ajv;
}

/**
 * Compiles a schema at its first use, once; the returned function checks a value and fills in defaults IN PLACE. Unknown fields are
 * refused where the schema says `additionalProperties: false`; complaints about up to a hundred fields come at once.
 */
export function compileSchema<S extends TSchema>(schema: S): (value: unknown) => Validation<Static<S>> {
  return compileWith(strictAjv, schema);
}

/** Compiles a schema to a test that ends at the first mistake and changes nothing: for what peers send in bulk. */
export function compileTest(schema: TSchema): (value: unknown) => boolean {
  const compiled = lazily(() => testingAjv.compile(schema));
  return (value) => compiled()(value);
}

/**
 * Like `compileSchema`, for query and path parameters, whose strings become booleans and, written in decimal,
 * numbers.
 */
export function compileCoercingSchema<S extends TSchema>(schema: S): (value: unknown) => Validation<Static<S>> {
  const validate = compileWith(coercingAjv, schema);
  const hasNumbers = /"type":"(?:integer|number)"/.test(JSON.stringify(schema));
  if (!hasNumbers) return validate;
  return (value) => {
    const written = copyOf(value);
    const result = validate(value);
    const details = result.ok ? oddNumbers(written, value) : {};
    return Object.keys(details).length === 0 ? result : { ok: false, details };
  };
}

/** A copy of JSON data; structuredClone takes several times as long for the few strings of a request. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) copy[key] = copyOf(member);
  return copy;
}

/** Ajv also makes numbers of " 5", "0x10", "1e3" and "Infinity", and asks no range of the last. */
function oddNumbers(written: unknown, value: unknown, path = ''): FieldErrors {
  if (typeof written === 'string' && typeof value === 'number') {
    return /^-?\d+(\.\d+)?$/.test(written) ? {} : { [path]: [{ code: 'type', message: 'must be a decimal number' }] };
  }
  if (typeof written !== 'object' || written === null || typeof value !== 'object' || value === null) return {};
  const members = new Map<string, unknown>(Object.entries(value));
  const found = Object.entries(written).map(([key, member]) =>
    oddNumbers(member, members.get(key), path === '' ? key : `${path}.${key}`),
  );
  return Object.assign({}, ...found);
}

function compileWith<S extends TSchema>(ajv: Ajv2020, schema: S): (value: unknown) => Validation<Static<S>> {
  // a program starts half a second sooner that compiles only the schemas it uses
  const compiled = lazily(() => ajv.compile(schema));
  return (value) => {
    const validate = compiled();
    if (validate(value)) return { ok: true, value: value as Static<S> };
    return { ok: false, details: fieldErrors(validate.errors ?? []) };
  };
}

function fieldErrors(errors: readonly ErrorObject[]): FieldErrors {
  const details: FieldErrors = Object.create(null);
  const unknown = new Map<string, UnknownField>();
  let count = 0;
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf' || error.keyword === 'propertyNames') continue;
    const path = fieldPath(error);
    if (!(path in details) && ++count > MAX_COMPLAINTS) break;
    const list = (details[path] ??= []);
    if (unknownKeywords.has(error.keyword)) {
      noteUnknown(unknown, path, error);
      continue;
    }
    const entry = complaintOf(error);
    if (!list.some((known) => known.code === entry.code && known.message === entry.message)) list.push(entry);
  }
  for (const [path, { name, places }] of unknown) details[path]?.push(unknownField(name, places));
  const paths = Object.keys(details);
  for (const [path, list] of Object.entries(details)) {
    const rest = withoutNull(
      list,
      paths.some((other) => other.startsWith(`${path}.`)),
    );
    if (rest.length === 0) delete details[path];
    else details[path] = rest;
  }
  return { ...details };
}

const unknownKeywords: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties', 'false schema']);

/** Name of a field that schemas of its object do not have, with these schemas: a union has several. */
interface UnknownField {
  readonly name: string;
  readonly places: unknown[];
}

function noteUnknown(unknown: Map<string, UnknownField>, path: string, error: ErrorObject): void {
  const field = unknown.get(path) ?? { name: unknownNameOf(error), places: [] };
  field.places.push(error.parentSchema);
  unknown.set(path, field);
}

function unknownNameOf({ params, instancePath }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  return additionalProperty ?? unevaluatedProperty ?? instancePath.split('/').at(-1) ?? '';
}

/** Drops "must be null" where a nullable field has other errors, in it or within it, and appends "or null" to those about its type. */
function withoutNull(list: FieldError[], hasInner: boolean): FieldError[] {
  const others = list.filter(({ message }) => message !== 'must be null');
  if ((others.length === 0 && !hasInner) || others.length === list.length) return list;
  return others.map((error) => (error.code === 'type' ? { ...error, message: `${error.message} or null` } : error));
}

/** ajv reports missing and unknown fields at their parent; people look for the field itself. */
function fieldPath(error: ErrorObject): string {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty, unevaluatedProperty } = error.params as Record<
    string,
    string | undefined
  >;
  const child = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  if (child !== undefined) parts.push(child);
  return parts.length === 0 ? 'body' : parts.join('.');
}
