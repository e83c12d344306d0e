import fc from 'fast-check';
import type { Part } from './operations.js';
import { realText } from './real-values.js';

/** Longest generated array or text: more items find nothing new. */
const MAX_ITEMS = 4;

// creating a text arbitrary takes longer than using it: one for all texts, and one for each pattern
const anyText = fc.string({ unit: 'grapheme', maxLength: 40 });
const matching = new Map<string, fc.Arbitrary<string>>();

function textMatching(pattern: string): fc.Arbitrary<string> {
  const text = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matching.set(pattern, text);
  return text;
}

/**
 * Values that a schema allows, or nearly allows: a value that only the schema's own checks refuse is one more wrong
 * value. `name` is the property it is for: texts that earlier responses had under that name are among the values.
 */
export function schemaArbitrary(document: Part, schema: Part, name = ''): fc.Arbitrary<unknown> {
  const of = (part: Part, partName = name) => schemaArbitrary(document, part, partName);
  if (schema.$ref !== undefined) {
    const names: string[] = schema.$ref.slice(2).split('/');
    return of(names.reduce((parent, step) => parent[step], document));
  }
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice: Part) => of(choice)));
  switch (schema.type) {
    case 'object':
      return objectArbitrary(schema, of);
    case 'array':
      return arrayArbitrary(schema, of);
    case 'string':
      return stringArbitrary(schema, name);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

type Of = (part: Part, name?: string) => fc.Arbitrary<unknown>;

function objectArbitrary(schema: Part, of: Of): fc.Arbitrary<unknown> {
  const properties = Object.entries<Part>(schema.properties ?? {});
  if (properties.length === 0) return recordArbitrary(schema, of);
  const model = Object.fromEntries(properties.map(([name, part]) => [name, of(part, name)]));
  return fc.record(model, { requiredKeys: schema.required ?? [] });
}

function recordArbitrary({ patternProperties = {}, additionalProperties }: Part, of: Of): fc.Arbitrary<unknown> {
  const [pattern, value] = Object.entries<Part>(patternProperties)[0] ?? ['^[a-z]{1,9}$', additionalProperties];
  return fc.dictionary(textMatching(pattern), value ? of(value) : fc.jsonValue({ maxDepth: 1 }), {
    maxKeys: MAX_ITEMS,
  });
}

function arrayArbitrary({ items, minItems = 0, maxItems, uniqueItems }: Part, of: Of): fc.Arbitrary<unknown> {
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems ?? MAX_ITEMS, MAX_ITEMS)) };
  const item = items === undefined ? fc.jsonValue({ maxDepth: 1 }) : of(items);
  return uniqueItems === true ? fc.uniqueArray(item, bounds) : fc.array(item, bounds);
}

function stringArbitrary(schema: Part, name: string): fc.Arbitrary<string> {
  const own: fc.Arbitrary<string>[] = [freshString(schema), realText(schema.pattern ?? name)];
  if (Array.isArray(schema.examples)) own.push(fc.constantFrom(...schema.examples));
  return fc.oneof(...own);
}

function freshString({ pattern, format, minLength = 0, maxLength }: Part): fc.Arbitrary<string> {
  if (pattern !== undefined) return textMatching(pattern);
  switch (format) {
    case 'date-time':
      return fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
        .map((at) => at.toISOString());
    case 'email':
      return fc.emailAddress();
    case 'uri':
      return fc.webUrl();
    default:
      return anyText.map((text) => [...text].slice(0, maxLength).join('').padEnd(minLength, 'x'));
  }
}
