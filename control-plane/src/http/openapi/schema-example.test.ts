import { idPattern, idPrefixes, isId } from '@vantage/shared/ids.js';
import { compileTest } from '@vantage/shared/validation.js';
import t from 'tap';
import { type TSchema, Type } from 'typebox';
import { schemaExample } from './schema-example.js';

const cases: readonly { readonly name: string; readonly schema: TSchema; readonly value: unknown }[] = [
  { name: 'an example of its own', schema: Type.Integer({ examples: [7], default: 3 }), value: 7 },
  { name: 'a default', schema: Type.Integer({ default: 3 }), value: 3 },
  { name: 'a constant', schema: Type.Literal('queued'), value: 'queued' },
  { name: 'the first of an enumeration', schema: Type.Enum(['b', 'a'], { type: 'string' }), value: 'b' },
  { name: 'the first choice that is not null', schema: Type.Union([Type.Null(), Type.Boolean()]), value: true },
  { name: 'null where nothing else fits', schema: Type.Null(), value: null },
  { name: 'a bound', schema: Type.Integer({ minimum: 1000, maximum: 30_000 }), value: 1000 },
  { name: 'an upper bound below one', schema: Type.Number({ maximum: -4 }), value: -4 },
  { name: 'a format', schema: Type.String({ format: 'date-time' }), value: '2026-01-31T12:00:00.000Z' },
  { name: 'a length', schema: Type.String({ minLength: 8 }), value: 'text....' },
  { name: 'a short length', schema: Type.String({ maxLength: 2 }), value: 'te' },
  { name: 'a record', schema: Type.Record(Type.String(), Type.String()), value: {} },
  {
    name: 'required fields only, named where nothing else is said',
    schema: Type.Object({ city: Type.String(), asn: Type.Optional(Type.Integer()), tags: Type.Array(Type.String()) }),
    value: { city: 'city', tags: ['tags'] },
  },
];

t.test('an example is built from a schema, which it matches', async (t) => {
  for (const { name, schema, value } of cases) {
    t.strictSame(schemaExample(schema), value, name);
    t.ok(compileTest(schema)(schemaExample(schema)), name);
  }
});

t.test('patterns of ids and of texts that are not blank have an example', async (t) => {
  for (const prefix of Object.values(idPrefixes)) {
    t.ok(isId(prefix, String(schemaExample(Type.String({ pattern: idPattern(prefix) })))), prefix);
  }
  t.match(schemaExample(Type.String({ pattern: '\\S' })), /\S/);
});

t.test('a schema without a possible example is named', async (t) => {
  t.throws(() => schemaExample(Type.String({ pattern: '^\\d{4}-\\d\\d$' })), {
    name: 'RangeError',
    message: '"^\\d{4}-',
  });
  t.throws(() => schemaExample(Type.String({ format: 'json-pointer' }), 'path'), {
    message: '"json-pointer" of "path"',
  });
});
