import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { parseExactJson } from '../exact-number.js';
import { findMiss } from './evaluate.js';
import { type Facts, noFacts } from './facts.js';
import { describeFailures, findFailures } from './failures.js';
import { type Assertion, assertionOps, assertionTypes } from './schema.js';

const json = (path: string, ...values: unknown[]) => ({
  path,
  count: values.length,
  values,
  truncated: false,
  error: null,
});
const facts: Facts = {
  ...noFacts,
  statusCode: 200,
  responseMs: 120.5,
  headers: { 'content-type': 'text/html', 'x-left': '5', 'x-large': '18014398509481985' },
  body: 'hello world ok',
  keywords: [
    { keyword: 'hello', count: 2, count_any_case: 2, error: null },
    { keyword: 'none', count: 0, count_any_case: 1, error: null },
  ],
  jsonPaths: [
    json('$.n', 5),
    json('$.t', 'text'),
    json('$.l', [1, { a: 2 }]),
    json('$.many', 1, 2, 3),
    json('$.null', null),
  ],
  daysRemaining: 20,
};

type Row = [type: Assertion['type'], op: Assertion['op'], value: unknown, holds: boolean, about?: string];

const rows: Row[] = [
  ['status_code', 'eq', 200, true],
  ['status_code', 'eq', 201, false],
  ['status_code', 'ne', 201, true],
  ['status_code', 'ne', 200, false],
  ['status_code', 'gt', 199, true],
  ['status_code', 'gt', 200, false],
  ['status_code', 'gte', 200, true],
  ['status_code', 'gte', 201, false],
  ['status_code', 'lt', 201, true],
  ['status_code', 'lt', 200, false],
  ['status_code', 'lte', 200, true],
  ['status_code', 'lte', 199, false],
  ['status_code', 'in', [404, 200], true],
  ['status_code', 'in', [404], false],
  ['status_code', 'not_in', [404], true],
  ['status_code', 'not_in', [404, 200], false],
  ['response_time', 'lt', 121, true],
  ['response_time', 'lt', 120.5, false],
  ['response_time', 'lte', 120.5, true],
  ['response_time', 'gt', 120.5, false],
  ['response_time', 'gte', 120.5, true],
  ['ssl_days_remaining', 'gte', 20, true],
  ['ssl_days_remaining', 'gt', 20, false],
  ['ssl_days_remaining', 'lt', 21, true],
  ['ssl_days_remaining', 'lte', 19, false],
  ['body_contains', 'contains', 'hello', true],
  ['body_contains', 'eq', 'hello', true],
  ['body_contains', 'ne', 'hello', false],
  ['body_contains', 'contains', 'none', false],
  ['body_contains', 'ne', 'none', true],
  ['body_regex', 'regex', 'w[o0]rld', true],
  ['body_regex', 'eq', 'ok$', true],
  ['body_regex', 'regex', '^world', false],
  ['body_regex', 'ne', '^world', true],
  ['body_regex', 'ne', 'world', false],
  ['header_value', 'eq', 'text/html', true, 'Content-Type'],
  ['header_value', 'eq', 'text', false, 'Content-Type'],
  ['header_value', 'ne', 'text', true, 'Content-Type'],
  ['header_value', 'ne', 'text/html', false, 'Content-Type'],
  ['header_value', 'contains', 'html', true, 'Content-Type'],
  ['header_value', 'contains', 'json', false, 'Content-Type'],
  ['header_value', 'regex', '^text/', true, 'Content-Type'],
  ['header_value', 'regex', '^html', false, 'Content-Type'],
  ['header_value', 'in', ['a', 'text/html'], true, 'Content-Type'],
  ['header_value', 'in', ['a'], false, 'Content-Type'],
  ['header_value', 'not_in', ['a'], true, 'Content-Type'],
  ['header_value', 'not_in', ['text/html'], false, 'Content-Type'],
  ['header_value', 'gt', 4, true, 'X-Left'],
  ['header_value', 'gte', 5, true, 'X-Left'],
  ['header_value', 'lt', 5, false, 'X-Left'],
  ['header_value', 'lte', 5, true, 'X-Left'],
  ['header_value', 'gt', 4, false, 'Content-Type'],
  ['header_value', 'gt', 18014398509481984, true, 'X-Large'],
  ['header_value', 'lt', 5, false, 'X-Large'],
  ['json_path', 'eq', 5, true, '$.n'],
  ['json_path', 'eq', '5', false, '$.n'],
  ['json_path', 'ne', '5', true, '$.n'],
  ['json_path', 'ne', 5, false, '$.n'],
  ['json_path', 'eq', [1, { a: 2 }], true, '$.l'],
  ['json_path', 'eq', [{ a: 2 }, 1], false, '$.l'],
  ['json_path', 'eq', null, true, '$.null'],
  ['json_path', 'gt', 4, true, '$.n'],
  ['json_path', 'gte', 6, false, '$.n'],
  ['json_path', 'lt', 6, true, '$.n'],
  ['json_path', 'lte', 4, false, '$.n'],
  ['json_path', 'gt', 'tex', true, '$.t'],
  ['json_path', 'lt', 'tex', false, '$.t'],
  ['json_path', 'lt', 6, false, '$.t'],
  ['json_path', 'lte', 6, false, '$.null'],
  ['json_path', 'in', [1, 5], true, '$.n'],
  ['json_path', 'in', ['5'], false, '$.n'],
  ['json_path', 'not_in', ['5'], true, '$.n'],
  ['json_path', 'not_in', [5], false, '$.n'],
  ['json_path', 'contains', 'ex', true, '$.t'],
  ['json_path', 'contains', 'EX', false, '$.t'],
  ['json_path', 'contains', { a: 2 }, true, '$.l'],
  ['json_path', 'contains', 2, false, '$.l'],
  ['json_path', 'contains', 5, false, '$.n'],
  ['json_path', 'regex', '^t.*t$', true, '$.t'],
  ['json_path', 'regex', '5', false, '$.n'],
  ['json_path', 'lt', 4, true, '$.many'],
  ['json_path', 'lt', 3, false, '$.many'],
];

function aboutOf(type: Assertion['type'], about: string | undefined): Partial<Assertion> {
  if (about === undefined) return {};
  return type === 'json_path' ? { path: about } : { name: about };
}

t.test('every operator holds for what it says and fails for anything else', async (t) => {
  for (const [type, op, value, holds, about] of rows) {
    const miss = findMiss({ type, op, value, severity: 'down', ...aboutOf(type, about) }, facts);
    t.equal(miss === null, holds, `${type} ${about ?? ''} ${op} ${JSON.stringify(value)}`);
  }
});

t.test('a number that JavaScript rounds equals itself alone, and has its place among others', async (t) => {
  const big = '18014398509481985';
  const found = (text: string) => ({ ...noFacts, jsonPaths: [json('$', parseExactJson(text))] });
  const isMet = (text: string, op: Assertion['op'], value: unknown) =>
    findMiss({ type: 'json_path', path: '$', severity: 'down', op, value }, found(text)) === null;
  const rows: readonly [text: string, op: Assertion['op'], value: unknown, isMet: boolean][] = [
    [big, 'eq', big, true],
    [big, 'eq', '18014398509481984', false],
    [big, 'ne', '18014398509481984', true],
    [big, 'in', ['x', big], true],
    [big, 'not_in', [big], false],
    [big, 'gt', '18014398509481984', true],
    [big, 'gte', big, true],
    [big, 'lt', '18014398509481986', true],
    [big, 'gt', 5, true],
    [big, 'eq', 5, false],
    ['5', 'lt', big, true],
    ['18014398509481984', 'eq', big, false],
    [`"${big}"`, 'eq', big, true],
    [`[1,${big}]`, 'contains', big, true],
    [`[1,18014398509481984]`, 'contains', big, false],
    ['18014398509481984', 'eq', '18014398509481984', true],
    ['18014398509481984', 'eq', 18014398509481984, true],
    ['1e400', 'eq', '1e400', true],
    ['1e400', 'gt', 1e300, true],
    ['-0', 'eq', 0, true],
    ['1.0', 'eq', 1, true],
    ['0.10000000000000001', 'eq', 0.1, true],
    ['5', 'eq', '5', false],
  ];
  for (const [text, op, value, expected] of rows) t.equal(isMet(text, op, value), expected, `${text} ${op} ${value}`);
  const one: Assertion = { type: 'json_path', path: '$', severity: 'down', op: 'eq', value: 1 };
  t.match(describeFailures(findFailures([one], found(big))), `is ${big}, expected eq 1`);
});

t.test('an assertion that cannot be evaluated fails with its reason, whatever its operator', async (t) => {
  const unknown = { count: null, values: [], truncated: false, error: 'the body is not JSON' };
  const cases: [string, Row, Partial<Facts>, RegExp][] = [
    ['no status', ['status_code', 'ne', 500, false], {}, /no status/],
    ['no time', ['response_time', 'lt', 500, false], {}, /not measured/],
    ['no TLS', ['ssl_days_remaining', 'lt', 500, false], {}, /no certificate/],
    ['no header', ['header_value', 'ne', 'a', false, 'X-None'], {}, /no such header/],
    ['a header of Object', ['header_value', 'ne', 'a', false, 'constructor'], {}, /no such header/],
    ['no body', ['body_regex', 'ne', 'a', false], {}, /no text body/],
    ['a body nobody searched', ['body_contains', 'ne', 'a', false], {}, /not searched/],
    [
      'a body that was cut before it',
      ['body_contains', 'ne', 'a', false],
      { keywords: [{ keyword: 'a', count: null, count_any_case: null, error: 'not in the first 1048576 bytes' }] },
      /first 1048576/,
    ],
    ['a body nobody read', ['json_path', 'ne', 'a', false, '$.a'], {}, /not read as JSON/],
    ['no JSON', ['json_path', 'ne', 'a', false, '$.a'], { jsonPaths: [{ path: '$.a', ...unknown }] }, /is not JSON/],
    ['nothing there', ['json_path', 'ne', 'a', false, '$.a'], { jsonPaths: [json('$.a')] }, /selects nothing/],
    [
      'more than is kept',
      ['json_path', 'ne', 'a', false, '$.a'],
      { jsonPaths: [{ ...json('$.a', 1), truncated: true }] },
      /more values than are kept/,
    ],
    ['an operator it has not', ['status_code', 'contains', 2, false], { statusCode: 200 }, /must be one of/],
    ['a value of the wrong form', ['status_code', 'not_in', 'x', false], { statusCode: 200 }, /array/],
    ['a pattern that is none', ['body_regex', 'ne', '(', false], { body: '' }, /pattern of RE2/],
    ['a pattern that costs too much', ['body_regex', 'ne', 'a{999}', false], { body: '' }, /repeats more than/],
  ];
  for (const [name, [type, op, value, , about], known, reason] of cases) {
    const assertion = { type, op, value, severity: 'down' as const, ...aboutOf(type, about) };
    t.match(findMiss(assertion, { ...noFacts, ...known }), { reason }, name);
  }
});

t.test('a pattern in a body that was cut holds only where nothing that follows can change it', async (t) => {
  const cut: Facts = { ...noFacts, body: 'it is ok', isBodyTruncated: true };
  const miss = (value: string, op: Assertion['op'] = 'regex') =>
    findMiss({ type: 'body_regex', op, value, severity: 'down' }, cut);
  for (const pattern of ['is', '^it', 'ok', '\\bok']) t.equal(miss(pattern), null, pattern);
  for (const pattern of ['ok$', '(?m)ok$', 'ok\\b', 'ok\\z', 'ok\\B', 'none'])
    t.match(miss(pattern), { reason: /the body was truncated/ }, pattern);
  t.match(miss('none', 'ne'), { reason: /the body was truncated/ }, 'what is absent may follow');
  t.match(miss('is', 'ne'), { came: /is in the body/ });
});

t.test('a header is not reported as absent where a result could not keep all', async (t) => {
  const assertion = { type: 'header_value', op: 'eq', value: 'x', name: 'A', severity: 'down' } as const;
  t.match(findMiss(assertion, { ...noFacts, headers: {} }), { reason: 'the response has no such header' });
  t.match(findMiss(assertion, { ...noFacts, areHeadersTruncated: true }), { reason: /was not kept/ });
  t.equal(findMiss(assertion, { ...noFacts, headers: { a: 'x' }, areHeadersTruncated: true }), null);
});

t.test('whatever was found and whatever is asserted, an assertion is judged without an exception', async (t) => {
  const finding = fc.record({
    path: fc.constant('$.a'),
    count: fc.option(fc.nat()),
    values: fc.array(fc.jsonValue(), { maxLength: 3 }),
    truncated: fc.boolean(),
    error: fc.option(fc.string({ minLength: 1 })),
  });
  const measured = fc.record({
    statusCode: fc.option(fc.integer()),
    responseMs: fc.option(fc.double({ min: 0, noNaN: true })),
    headers: fc.dictionary(fc.constantFrom('a', 'b'), fc.string({ unit: 'binary' })),
    body: fc.option(fc.string({ unit: 'binary' })),
    areHeadersTruncated: fc.boolean(),
    isBodyTruncated: fc.boolean(),
    jsonPaths: fc.array(finding, { maxLength: 1 }),
    daysRemaining: fc.option(fc.integer()),
  });
  const assertion = fc.record({
    type: fc.constantFrom(...assertionTypes),
    op: fc.constantFrom(...assertionOps),
    value: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constantFrom('a.*b', '[^a]$', '(?i)\\pL+')),
    severity: fc.constant('down' as const),
    path: fc.constant('$.a'),
    name: fc.constant('A'),
  });
  fc.assert(
    fc.property(assertion, measured, (one, found) => {
      const miss = findMiss(one, { ...noFacts, ...found });
      return miss === null || 'found' in miss || 'came' in miss || miss.reason !== '';
    }),
    { numRuns: rounds(3000), interruptAfterTimeLimit: 2000 },
  );
  const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  const wide = Array.from({ length: 30_000 }, (_, i) => i);
  for (const [value, found] of [
    [[[]], deep],
    [[1], wide],
  ] as const)
    t.doesNotThrow(() =>
      findMiss(
        { type: 'json_path', op: 'contains', value, severity: 'down', path: '$.a' },
        { ...noFacts, jsonPaths: [json('$.a', [found, found, found])] },
      ),
    );
});
