import t from 'tap';
import { compileSchema } from '../validation.js';
import { type ProbeType, probeTypeNames, probeTypes } from './index.js';

const validators = Object.fromEntries(probeTypeNames.map((type) => [type, compileSchema(probeTypes[type].Spec)]));

function complaints(
  type: ProbeType,
  params: Record<string, unknown>,
  target: unknown = 'example.com',
): Record<string, string[]> {
  const result = validators[type]?.({ target, params });
  if (result === undefined || result.ok) return {};
  return Object.fromEntries(Object.entries(result.details).map(([path, list]) => [path, list.map(({ code }) => code)]));
}

/** The schema of a parameter, as far as it is looked at here. */
interface ParamSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/** Every parameter of every type with its schema: what it says is what holds. */
const params = probeTypeNames.flatMap((type) =>
  Object.entries(probeTypes[type].Params.properties).map(([name, schema]) => ({
    type,
    name,
    schema: schema as ParamSchema,
  })),
);

/** Default of a parameter that was not sent. */
function defaultOf(type: ProbeType, name: string): unknown {
  const spec = { target: 'example.com', params: {} as Record<string, unknown> };
  validators[type]?.(spec);
  return spec.params[name];
}

t.test('every number is a whole one within its bounds, with its default', async (t) => {
  for (const { type, name, schema } of params.filter(({ schema }) => schema.type === 'integer')) {
    const { minimum: min, maximum: max, default: fallback } = schema;
    const path = `params.${name}`;
    const title = `${type} ${name}`;
    if (min === undefined || max === undefined) {
      t.fail(`${title} has no bounds`);
      continue;
    }
    t.same(complaints(type, { [name]: min - 1 }), { [path]: ['range'] }, title);
    t.same(complaints(type, { [name]: min }), {}, title);
    t.same(complaints(type, { [name]: max }), {}, title);
    t.same(complaints(type, { [name]: max + 1 }), { [path]: ['range'] }, title);
    for (const wrong of [min + 0.5, String(min), null, true, [min]])
      t.same(complaints(type, { [name]: wrong }), { [path]: ['type'] }, title);
    t.equal(defaultOf(type, name), fallback, title);
  }
});

t.test('every choice is one of its values, spelled as they are, with its default', async (t) => {
  for (const { type, name, schema } of params.filter(({ schema }) => schema.enum !== undefined)) {
    const values = schema.enum ?? [];
    const [first = ''] = values;
    const title = `${type} ${name}`;
    for (const value of values) t.same(complaints(type, { [name]: value }), {}, title);
    for (const wrong of ['', 'TRACE', 'CONNECT', first.toLowerCase(), first.toUpperCase(), `${first} `]) {
      if (!values.includes(wrong)) t.same(complaints(type, { [name]: wrong }), { [`params.${name}`]: ['enum'] }, title);
    }
    t.equal(defaultOf(type, name), schema.default, title);
  }
});

t.test('every switch is a boolean with a default', async (t) => {
  for (const { type, name, schema } of params.filter(({ schema }) => schema.type === 'boolean')) {
    t.same(complaints(type, { [name]: 'true' }), { [`params.${name}`]: ['type'] });
    t.same(complaints(type, { [name]: true }), {});
    t.type(schema.default, 'boolean', `${type} ${name}`);
    t.equal(defaultOf(type, name), schema.default);
  }
});

t.test('texts have their lengths', async (t) => {
  t.same(complaints('http', { body: 'x'.repeat(32_768) }), {});
  t.same(complaints('http', { body: 'x'.repeat(32_769) }), { 'params.body': ['length'] });
  for (const [type, name] of [
    ['http', 'resolver'],
    ['dns', 'server'],
    ['ssl', 'server_name'],
  ] as const) {
    t.same(complaints(type, { [name]: '' }), { [`params.${name}`]: ['length'] });
    t.same(complaints(type, { [name]: 'x'.repeat(253) }), {});
    t.same(complaints(type, { [name]: 'x'.repeat(254) }), { [`params.${name}`]: ['length'] });
  }
  for (const type of probeTypeNames) {
    const longest = probeTypes[type].exampleTarget.includes('://') ? 2048 : 259;
    t.same(complaints(type, {}, ''), { target: ['length'] }, type);
    t.same(complaints(type, {}, 'x'.repeat(longest)), {}, type);
    t.same(complaints(type, {}, 'x'.repeat(longest + 1)), { target: ['length'] }, type);
    t.same(complaints(type, {}, 7), { target: ['type'] }, type);
    t.same(complaints(type, {}, null), { target: ['type'] }, type);
  }
});

t.test('lists of what to look for: at most 10 texts of at most 256 characters', async (t) => {
  for (const name of ['keywords', 'json_paths']) {
    t.same(complaints('http', { [name]: [] }), {});
    t.same(complaints('http', { [name]: Array(10).fill('$') }), {});
    t.same(complaints('http', { [name]: Array(11).fill('$') }), { [`params.${name}`]: ['length'] });
    t.same(complaints('http', { [name]: ['x'.repeat(256)] }), {});
    t.same(complaints('http', { [name]: ['x'.repeat(257)] }), { [`params.${name}.0`]: ['length'] });
    t.same(complaints('http', { [name]: [''] }), { [`params.${name}.0`]: ['length'] });
    t.same(complaints('http', { [name]: 'x' }), { [`params.${name}`]: ['type'] });
  }
});

t.test('request headers: at most 32, names are tokens of at most 64, values at most 4096 characters', async (t) => {
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'v']));
  t.same(complaints('http', { headers: {} }), {});
  t.same(complaints('http', { headers: headers(32) }), {});
  t.same(complaints('http', { headers: headers(33) }), { 'params.headers': ['length'] });
  t.same(complaints('http', { headers: { ['x'.repeat(64)]: 'v' } }), {});
  t.same(complaints('http', { headers: { ['x'.repeat(65)]: 'v' } }), {
    [`params.headers.${'x'.repeat(65)}`]: ['unknown'],
  });
  t.same(complaints('http', { headers: { 'a b': 'v' } }), { 'params.headers.a b': ['unknown'] });
  t.same(complaints('http', { headers: { 'X-A': 'v'.repeat(4096) } }), {});
  t.same(complaints('http', { headers: { 'X-A': 'v'.repeat(4097) } }), { 'params.headers.X-A': ['length'] });
  t.same(complaints('http', { headers: { 'X-A': 1 } }), { 'params.headers.X-A': ['type'] });
  t.same(complaints('http', { headers: ['X-A'] }), { 'params.headers': ['type'] });
});

t.test('an unknown parameter or member is refused by name', async (t) => {
  for (const type of probeTypeNames) {
    t.same(complaints(type, { colour: 'red' }), { 'params.colour': ['unknown'] }, type);
    const result = validators[type]?.(JSON.parse('{"target":"example.com","params":{"__proto__":{}},"extra":1}'));
    t.same(result?.ok === false && Object.keys(result.details).sort(), ['extra', 'params.__proto__'], type);
  }
});
