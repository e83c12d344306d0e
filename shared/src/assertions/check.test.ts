import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { compileSchema } from '../validation.js';
import { checkAssertion, checkAssertions } from './check.js';
import { assertionRules } from './rules.js';
import { type Assertion, AssertionSchema, assertionOps, assertionTypes } from './schema.js';

const about = { json_path: { path: '$.a' }, header_value: { name: 'X-A' } } as const;

/** A good assertion of a type and operator; `value` as the test says. */
function anAssertion(
  type: Assertion['type'],
  op: Assertion['op'],
  value: unknown,
  more: Partial<Assertion> = {},
): Assertion {
  return { type, op, value, severity: 'down', ...(type in about ? about[type as keyof typeof about] : {}), ...more };
}

t.test('each type of assertion takes its operators and refuses the others by name', async (t) => {
  const values = [5, 'a', ['a'], [5]];
  for (const type of assertionTypes) {
    const takes = Object.keys(assertionRules[type].ops);
    for (const op of assertionOps) {
      const complaints = values.map((value) => checkAssertion(anAssertion(type, op, value)));
      const isTaken = complaints.some((errors) => Object.keys(errors).length === 0);
      t.equal(isTaken, takes.includes(op), `${type} ${op}`);
      if (!isTaken) t.match(complaints[0], { op: [{ code: 'enum', message: new RegExp(takes.join(', ')) }] });
    }
  }
  t.strictSame(Object.keys(assertionRules.response_time.ops), ['gt', 'gte', 'lt', 'lte']);
  t.strictSame(Object.keys(assertionRules.body_contains.ops), ['contains', 'eq', 'ne']);
});

t.test('a value of the wrong form is refused in words', async (t) => {
  const wrong: [Assertion['type'], Assertion['op'], unknown, RegExp][] = [
    ['status_code', 'eq', '200', /number/],
    ['status_code', 'in', 200, /array of 1 to 50 numbers/],
    ['status_code', 'in', [], /array/],
    ['status_code', 'not_in', [200, '2xx'], /numbers/],
    ['response_time', 'lt', null, /number/],
    ['body_contains', 'contains', '', /string of 1 to 256/],
    ['body_contains', 'contains', 'x'.repeat(257), /256/],
    ['json_path', 'gt', true, /number, or a string/],
    ['json_path', 'in', 'a', /array/],
    ['json_path', 'eq', 'x'.repeat(2048), /2048/],
    ['json_path', 'in', Array(51).fill(1), /50/],
    ['header_value', 'eq', 5, /string/],
    ['header_value', 'gt', '5', /number/],
    ['ssl_days_remaining', 'gte', '14', /number/],
  ];
  for (const [type, op, value, message] of wrong)
    t.match(checkAssertion(anAssertion(type, op, value)), { value: [{ code: 'type', message }] }, `${type} ${op}`);
  for (const value of [null, 0, false, '', {}, [], { a: [1] }])
    t.strictSame(checkAssertion(anAssertion('json_path', 'eq', value)), {}, 'json_path eq takes any JSON');
});

t.test('a path or a name is required where it is meant, unknown elsewhere, and a JSONPath', async (t) => {
  const withoutPath: Assertion = { type: 'json_path', op: 'eq', value: 1, severity: 'down' };
  t.match(checkAssertion(withoutPath), { path: [{ code: 'required' }] });
  t.match(checkAssertion({ ...withoutPath, type: 'header_value', value: 'a' }), { name: [{ code: 'required' }] });
  t.match(checkAssertion(anAssertion('status_code', 'eq', 200, { path: '$' })), { path: [{ code: 'unknown' }] });
  t.match(checkAssertion(anAssertion('json_path', 'eq', 1, { name: 'a' })), { name: [{ code: 'unknown' }] });
  for (const path of ['a', '$[', '$.a.', '$[?match(@.a, "x")]'])
    t.match(checkAssertion(anAssertion('json_path', 'eq', 1, { path })), { path: [{ code: 'format' }] }, path);
});

t.test('a bad pattern is refused with what is wrong with it', async (t) => {
  const wrong: [string, RegExp][] = [
    ['(', /missing closing \)/],
    ['[a', /missing closing \]/],
    ['(?=a)', /unsupported/],
    ['(a)\\1', /invalid escape/],
    ['a{1000}', /repeats more than 200 times/],
    ['(a{1000}){1000}', /repeats more than 200 times/],
    ['(?:(?:a{9}){9}){9}', /too large: it compiles to \d+ instructions, 200 are allowed/],
  ];
  for (const [pattern, message] of wrong)
    t.match(checkAssertion(anAssertion('body_regex', 'regex', pattern)), { value: [{ code: 'format', message }] });
  t.match(checkAssertion(anAssertion('json_path', 'regex', '(')), { value: [{ code: 'format' }] });
  t.match(checkAssertion(anAssertion('header_value', 'regex', '(')), { value: [{ code: 'format' }] });
  t.strictSame(checkAssertion(anAssertion('body_regex', 'regex', '^[0-9a-f]{64}$')), {});
});

t.test('a monitor has no more assertions than a probe can look for, each complaint under its place', async (t) => {
  const limits = { types: assertionTypes };
  const paths = (count: number) =>
    Array.from({ length: count }, (_, i) => anAssertion('json_path', 'eq', 1, { path: `$[${i}]` }));
  t.strictSame(checkAssertions(paths(10), limits), {});
  t.match(checkAssertions(paths(11), limits), {
    assertions: [{ code: 'length', message: /more than 10 of type json_path/ }],
  });
  t.match(checkAssertions(paths(10), { ...limits, reserved: { json_path: 1 } }), {
    assertions: [{ message: /than 9/ }],
  });
  const texts = Array.from({ length: 11 }, (_, i) => anAssertion('body_contains', 'contains', `${i}`));
  t.match(checkAssertions(texts, limits), { assertions: [{ code: 'length', message: /body_contains/ }] });
  const patterns = Array.from({ length: 3 }, () => anAssertion('body_regex', 'regex', '[ab]{90}'));
  t.strictSame(checkAssertions(patterns.slice(0, 2), limits), {});
  t.match(checkAssertions(patterns, limits), {
    assertions: [{ code: 'length', message: /together, 200 are allowed/ }],
  });
  const second = [anAssertion('status_code', 'eq', 200), anAssertion('status_code', 'eq', 'x')];
  t.match(checkAssertions(second, limits), { 'assertions.1.value': [{ code: 'type' }] });
  t.match(checkAssertions(second.slice(0, 1), { types: ['response_time'] }), {
    'assertions.0.type': [{ code: 'not_supported', message: /response_time/ }],
  });
});

t.test('whatever is valid by the schema is checked without an exception', async (t) => {
  const validate = compileSchema(AssertionSchema);
  t.match(validate({ type: 'status_code', op: 'eq', value: 200 }), { ok: true, value: { severity: 'down' } });
  t.match(validate({ type: 'status_code', op: 'eq', value: 1, more: 1 }), { details: { more: [{ code: 'unknown' }] } });
  t.match(validate({ type: 'status_code', op: 'is' }), { details: { op: [{}], value: [{ code: 'required' }] } });
  const assertion = fc.record(
    {
      type: fc.constantFrom(...assertionTypes),
      op: fc.constantFrom(...assertionOps),
      value: fc.oneof(fc.jsonValue(), fc.string(), fc.stringMatching(/^[(a{}0-9)*+?|\\.[\]^$-]{0,40}$/)),
      severity: fc.constantFrom('down' as const, 'degraded' as const),
      path: fc.oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^\$[.[\]?@()'*0-9a-c=]{1,30}$/)),
    },
    { requiredKeys: ['type', 'op', 'value', 'severity'] },
  );
  fc.assert(
    fc.property(assertion, (one) => {
      for (const list of Object.values(checkAssertion(one))) if (list.length === 0) return false;
      return true;
    }),
    { numRuns: rounds(2000), interruptAfterTimeLimit: 2000 },
  );
});
