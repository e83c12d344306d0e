import type { Json, JsonObject } from './openapi-components.js';

/** Text for the formats of JSON Schema (draft 2020-12, validation, section 7.3). */
const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '018f6d6e-7a90-7cc3-8b0a-2f1d5f8f7b11',
};

/** Texts for patterns: a word, and an id without its prefix. */
const WORD = 'S';
const ID = '1ahpw4BJRYfnu29GPWdksz';

/**
 * A value that a schema allows, always the same one: its own example, default or first choice, else made from its
 * type, in objects the required fields only. `name` is the text where nothing else is said.
 * @throws RangeError naming what it cannot make a value of
 */
export function schemaExample(schema: object, name = 'text'): Json {
  return JSON.parse(JSON.stringify(exampleOf(schema as JsonObject, name)));
}

function exampleOf(schema: JsonObject, name: string): Json {
  const given = givenExample(schema);
  if (given !== undefined) return given;
  const choices = listOf(schema, 'anyOf') ?? listOf(schema, 'oneOf');
  if (choices !== null) return exampleOf(choices.find((choice) => choice['type'] !== 'null') ?? {}, name);
  const parts = listOf(schema, 'allOf');
  if (parts !== null) return Object.assign({}, ...parts.map((part) => exampleOf(part, name)));
  return typedExample(schema, name);
}

function givenExample(schema: JsonObject): Json | undefined {
  const { example, examples, const: constant, default: standard, enum: choices } = schema;
  return [example, first(examples), constant, standard, first(choices)].find((value) => value !== undefined);
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? (list[0] as Json) : undefined;
}

function typedExample(schema: JsonObject, name: string): Json {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type];
  switch (types.find((one) => one !== 'null') ?? types[0]) {
    case 'object':
      return objectExample(schema);
    case 'array':
      return arrayExample(schema, name);
    case 'string':
      return stringExample(schema, name);
    case 'integer':
    case 'number':
      return numberExample(schema);
    case 'boolean':
      return true;
    case 'null':
    case undefined:
      return null;
    default:
      throw new RangeError(`no example for the type of "${name}": give its schema one`);
  }
}

function objectExample(schema: JsonObject): JsonObject {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>;
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.fromEntries(required.map((key) => [key, exampleOf(properties[key] ?? {}, key)]));
}

function arrayExample(schema: JsonObject, name: string): Json {
  const count = Math.min(numberAt(schema, 'minItems') ?? 1, numberAt(schema, 'maxItems') ?? 1);
  const { items } = schema;
  return count === 0 || items === undefined ? [] : [exampleOf(items as JsonObject, name)];
}

function stringExample(schema: JsonObject, name: string): string {
  const { format, pattern } = schema;
  if (typeof pattern === 'string') return patternExample(pattern);
  if (typeof format === 'string') {
    const text = formats[format];
    if (text === undefined) throw new RangeError(`no example for the format "${format}" of "${name}"`);
    return text;
  }
  return name.padEnd(numberAt(schema, 'minLength') ?? 0, '.').slice(0, numberAt(schema, 'maxLength') ?? undefined);
}

/** A word or an id that the pattern matches. Schemas with other patterns have an example of their own. */
function patternExample(pattern: string): string {
  const prefix = /^\^(\w+_)/.exec(pattern)?.[1] ?? '';
  const text = [WORD, prefix + ID].find((candidate) => new RegExp(pattern, 'u').test(candidate));
  if (text === undefined) throw new RangeError(`no example for the pattern "${pattern}": give its schema one`);
  return text;
}

function numberExample(schema: JsonObject): number {
  const least = numberAt(schema, 'minimum') ?? (numberAt(schema, 'exclusiveMinimum') ?? 0) + 1;
  const most = numberAt(schema, 'maximum') ?? Number.POSITIVE_INFINITY;
  return Math.min(Math.max(least, 1), most);
}

function listOf(schema: JsonObject, keyword: string): readonly JsonObject[] | null {
  const list = schema[keyword];
  return Array.isArray(list) ? (list as readonly JsonObject[]) : null;
}

function numberAt(schema: JsonObject, keyword: string): number | null {
  const value = schema[keyword];
  return typeof value === 'number' ? value : null;
}
