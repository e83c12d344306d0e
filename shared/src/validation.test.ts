import fc from 'fast-check';
import t from 'tap';
import { type TSchema, Type } from 'typebox';
import { rounds } from './_support/rounds.js';
import { idPattern } from './ids.js';
import { compileCoercingSchema, compileSchema, fieldErrorCodes } from './validation.js';

const Person = Type.Object(
  {
    name: Type.String({ minLength: 2, maxLength: 5 }),
    age: Type.Integer({ minimum: 0, maximum: 150 }),
    role: Type.Enum(['user', 'admin'], { type: 'string', default: 'user' }),
    tags: Type.Optional(Type.Array(Type.String(), { maxItems: 2, uniqueItems: true })),
    address: Type.Optional(
      Type.Object(
        { zip: Type.String({ pattern: '^\\d+$' }), city: Type.String({ default: 'x' }) },
        { additionalProperties: false },
      ),
    ),
    born: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  },
  { additionalProperties: false },
);
const validate = compileSchema(Person);

function complaints(value: unknown): Record<string, string[]> {
  const result = validate(value);
  if (result.ok) return {};
  return Object.fromEntries(Object.entries(result.details).map(([path, list]) => [path, list.map(({ code }) => code)]));
}

t.test('a good value comes back with its defaults filled in', async (t) => {
  t.same(validate({ name: 'Ann', age: 3 }), { ok: true, value: { name: 'Ann', age: 3, role: 'user' } });
  t.same(validate({ name: 'Ann', age: 3, address: { zip: '1' } }), {
    ok: true,
    value: { name: 'Ann', age: 3, role: 'user', address: { zip: '1', city: 'x' } },
  });
});

t.test('all complaints come at once, each at its own field', async (t) => {
  t.same(
    complaints({
      age: 151,
      role: 'root',
      tags: ['a', 'a', 'b'],
      address: { zip: 'x', other: 1 },
      born: 'yesterday',
      'odd.key': 1,
    }),
    {
      name: ['required'],
      age: ['range'],
      role: ['enum'],
      tags: ['length', 'conflict'],
      'address.zip': ['format'],
      'address.other': ['unknown'],
      born: ['format'],
      'odd.key': ['unknown'],
    },
  );
});

t.test('an error in a nullable field names the expected type, not null', async (t) => {
  const messages = (born: unknown) => {
    const result = validate({ name: 'Ann', age: 3, born });
    return result.ok ? [] : (result.details['born'] ?? []).map(({ message }) => message);
  };
  t.strictSame(messages(null), []);
  t.strictSame(messages(5), ['must be string or null']);
  t.strictSame(messages('soon'), ['must be a date and time with a zone, for example 2026-01-31T12:00:00Z']);
});

t.test('an error within a nullable object or list stands alone: the object need not be null', async (t) => {
  const place = Type.Object({ city: Type.String() }, { additionalProperties: false });
  const check = compileSchema(
    Type.Object({
      place: Type.Union([Type.Null(), place]),
      tags: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
    }),
  );
  const cases: readonly (readonly [unknown, Record<string, string[]>])[] = [
    [{ place: { city: 1 } }, { 'place.city': ['must be string'] }],
    [{ place: {} }, { 'place.city': ['is required'] }],
    [{ place: { city: 'Rome', zip: 1 } }, { 'place.zip': ['is not a known field; known: city'] }],
    [{ place: null, tags: ['a', 1] }, { 'tags.1': ['must be string'] }],
    [{ place: 'Rome' }, { place: ['must be object or null'] }],
  ];
  for (const [value, expected] of cases) {
    const result = check(value);
    const details = Object.entries(result.ok ? {} : result.details);
    t.strictSame(
      Object.fromEntries(details.map(([field, errors]) => [field, errors.map(({ message }) => message)])),
      expected,
    );
  }
});

t.test('a field that takes an id says which', async (t) => {
  const check = compileSchema(Type.Object({ monitor_id: Type.String({ pattern: idPattern('m_') }) }));
  t.match(check({ monitor_id: '7' }), {
    details: { monitor_id: [{ code: 'format', message: 'must be an id: m_ and 22 letters and digits' }] },
  });
});

t.test('lengths, ranges and types hold at their edges', async (t) => {
  const base = { name: 'Ann', age: 3 };
  const cases: readonly (readonly [Record<string, unknown>, Record<string, string[]>])[] = [
    [{ name: 'A' }, { name: ['length'] }],
    [{ name: 'Ab' }, {}],
    [{ name: 'Abcde' }, {}],
    [{ name: 'Abcdef' }, { name: ['length'] }],
    [{ name: '💩💩💩💩💩' }, {}],
    [{ age: -1 }, { age: ['range'] }],
    [{ age: 0 }, {}],
    [{ age: 150 }, {}],
    [{ age: 1.5 }, { age: ['type'] }],
    [{ age: '3' }, { age: ['type'] }],
    [{ age: null }, { age: ['type'] }],
    [{ age: Number.POSITIVE_INFINITY }, { age: ['type'] }],
    [{ age: true }, { age: ['type'] }],
    [{ name: ['Ann'] }, { name: ['type'] }],
    [{ role: 1 }, { role: ['type', 'enum'] }],
    [{ tags: 'a' }, { tags: ['type'] }],
    [{ tags: ['a', 1] }, { 'tags.1': ['type'] }],
    [{ born: null }, {}],
  ];
  for (const [change, expected] of cases) t.same(complaints({ ...base, ...change }), expected, JSON.stringify(change));
});

t.test('the same complaint is made once, though every branch of a union makes it', async (t) => {
  const Either = Type.Union([Type.Object({ a: Type.Number() }), Type.Object({ a: Type.Number(), b: Type.Number() })]);
  t.same(compileSchema(Either)({}), {
    ok: false,
    details: { a: [{ code: 'required', message: 'is required' }], b: [{ code: 'required', message: 'is required' }] },
  });
});

t.test('an unknown field is refused with the nearest field and all fields of its place', async (t) => {
  const Open = Type.Object(
    { target: Type.String(), params: Type.Object({ count: Type.Number() }, { additionalProperties: false }) },
    { additionalProperties: false },
  );
  const refusalOf = (value: object) => {
    const result = compileSchema(Open)({ target: 'x', params: { count: 1 }, ...value });
    return result.ok ? {} : result.details;
  };
  const unknown = (message: string) => [{ code: 'unknown', message: `is not a known field${message}` }];
  t.same(refusalOf({ taget: 1 }), { taget: unknown(', did you mean "target"? known: target, params') });
  t.same(refusalOf({ count: 1 }), { count: unknown(', did you mean "params.count"? known: target, params') });
  t.same(refusalOf({ color: 1 }), { color: unknown('; known: target, params') });
  t.same(refusalOf({ params: { count: 1, size: 1 } }), { 'params.size': unknown('; known: count') });
  const Either = Type.Union([
    Type.Object({ a: Type.Number() }, { additionalProperties: false }),
    Type.Object({ b: Type.Number() }, { additionalProperties: false }),
  ]);
  const either = compileSchema(Either)({ a: 1, zoo: 1 });
  t.match(either, { details: { zoo: unknown('; known: a, b') } });
});

t.test('an error in the form of a text names the pattern, and the example of its field', async (t) => {
  const [pattern, example] = ['^\\+[1-9][0-9]{6,14}$', '+8613800000000'];
  const reported = (schema: object) => compileSchema(Type.Object({ a: schema as TSchema }))({ a: '0138' });
  const message = `must match pattern "${pattern}"`;
  t.match(reported({ type: 'string', pattern }), { details: { a: [{ code: 'format', message }] } });
  const longer = { details: { a: [{ code: 'format', message: `${message}, for example "${example}"` }] } };
  t.match(reported({ type: 'string', pattern, example }), longer);
  t.match(reported({ type: 'string', pattern, examples: [example] }), longer);
});

t.test('a value that is not an object is refused as the body', async (t) => {
  for (const value of [null, 1, 'x', [], true, undefined])
    t.same(complaints(value), { body: ['type'] }, JSON.stringify(value));
});

t.test('__proto__, constructor and their like are unknown fields and poison nothing', async (t) => {
  const value = JSON.parse(
    '{"name":"Ann","age":3,"__proto__":{"isAdmin":true},"constructor":1,"toString":2,"address":{"zip":"1","__proto__":{}}}',
  );
  const result = validate(value);
  t.equal(result.ok, false);
  t.same(result.ok ? [] : Object.keys(result.details).sort(), [
    '__proto__',
    'address.__proto__',
    'constructor',
    'toString',
  ]);
  t.equal('isAdmin' in {}, false);
  t.match(JSON.stringify(result), '"__proto__":[{"code":"unknown"');
});

t.test('an inherited member does not count as given', async (t) => {
  const Loose = Type.Object({ constructor: Type.Number(), toString: Type.Number() }, { additionalProperties: false });
  t.same(compileSchema(Loose)({}).ok, false);
});

t.test('slashes, tildes and dots in names come out as they are', async (t) => {
  const odd = compileSchema(Type.Object({ 'a/b~c': Type.Object({ '~1': Type.Number() }) }))({ 'a/b~c': { '~1': 'x' } });
  t.same(odd.ok ? [] : Object.keys(odd.details), ['a/b~c.~1']);
  t.same(complaints({ name: 'Ann', age: 3, 'a/b~c': 1, '~1': 1, '': 1 }), {
    'a/b~c': ['unknown'],
    '~1': ['unknown'],
    '': ['unknown'],
  });
});

t.test('bodies are never coerced, query strings are', async (t) => {
  const Query = Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 20 }),
    owned: Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String()),
  });
  const strict = compileSchema(Query);
  const coercing = compileCoercingSchema(Query);
  t.equal(strict({ limit: '5' }).ok, false);
  t.same(coercing({ limit: '5', owned: 'true', q: '7' }), { ok: true, value: { limit: 5, owned: true, q: '7' } });
  t.same(coercing({}), { ok: true, value: { limit: 20 } });
  t.same(coercing({ limit: '5', other: 'x' }).ok, true, 'unknown query parameters are ignored');
  for (const limit of [
    '',
    'x',
    '5x',
    '1.5',
    '0',
    '201',
    '-1',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e999',
    '1e1',
    '0x10',
    ' 5',
    '5 ',
    '+5',
    '5.',
    '٥',
    ['5', '6'],
  ]) {
    t.equal(coercing({ limit }).ok, false, JSON.stringify(limit));
  }
  t.equal(coercing({ owned: 'yes' }).ok, false);
  t.same(coercing({ limit: 'Infinity' }), {
    ok: false,
    details: { limit: [{ code: 'type', message: 'must be a decimal number' }] },
  });
  t.same(coercing({ q: 'Infinity' }).ok, true, 'text may look like any number');
  const lists = compileCoercingSchema(Type.Object({ asns: Type.Array(Type.Integer()) }));
  t.same(lists({ asns: ['1', '2'] }), { ok: true, value: { asns: [1, 2] } });
  t.same(lists({ asns: ['1', '0x2'] }), {
    ok: false,
    details: { 'asns.1': [{ code: 'type', message: 'must be a decimal number' }] },
  });
});

t.test('any JSON is answered with values or known codes, and never throws', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const result = validate(value);
      const codes = result.ok ? [] : Object.values(result.details).flatMap((list) => list.map(({ code }) => code));
      return result.ok || (codes.length > 0 && codes.every((code) => fieldErrorCodes.includes(code)));
    }),
    { numRuns: rounds(2000) },
  );
});
