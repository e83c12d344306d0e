import fc from 'fast-check';
import type { TSchema } from 'typebox';

interface JsonSchema {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
}

/** Values that are valid by a schema of ours, and nasty where it leaves room: texts with U+0000 and half characters. */
export function arbitraryOf(schema: TSchema): fc.Arbitrary<unknown> {
  return arbitrary(schema as JsonSchema);
}

function arbitrary(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(arbitrary));
  const { minimum = -1e9, maximum = 1e9 } = schema;
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'string':
      return text(schema);
    case 'array':
      return fc.array(arbitrary(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'object':
      return object(schema);
    case undefined:
      return fc.jsonValue({ maxDepth: 3 });
    default:
      throw new RangeError(`no values are known of type ${schema.type}`);
  }
}

function text({ format, pattern, minLength = 0, maxLength = 700 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return instant();
  if (format === 'date') return instant().map((date) => date.slice(0, 10));
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const length = { minLength, maxLength };
  return fc.oneof(fc.string(length), fc.string({ ...length, unit: 'binary' }));
}

function object({ properties = {}, required = [], patternProperties }: JsonSchema): fc.Arbitrary<unknown> {
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined) return fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,10}$/), arbitrary(values));
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, member] of Object.entries(properties)) members[name] = arbitrary(member);
  return fc.record(members, { requiredKeys: [...required] });
}

function instant(): fc.Arbitrary<string> {
  return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
}
