import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { evaluateJsonPath } from './evaluate.js';
import { JsonPathError, parseJsonPath } from './parse.js';
import { JsonPathBudgetError, StepBudget } from './step-budget.js';

interface Case {
  readonly name: string;
  readonly selector: string;
  readonly document?: unknown;
  readonly result?: unknown[];
  readonly results?: unknown[][];
  readonly invalid_selector?: boolean;
}

/** The compliance test suite of the JSONPath working group, which the parser's package carries. */
function complianceSuite(): readonly Case[] {
  const manifest = createRequire(import.meta.url).resolve('jsonpath-rfc9535/package.json');
  const suite = join(dirname(manifest), 'src/__tests__/jsonpath-compliance-test-suite/cts.json');
  return JSON.parse(readFileSync(suite, 'utf8')).tests;
}

const usesFunctions = ({ selector }: Case) => /\b(?:length|count|match|search|value)\s*\(/.test(selector);

t.test('JSONPath selects what the compliance suite of RFC 9535 expects', async (t) => {
  const cases = complianceSuite().filter((one) => !usesFunctions(one));
  t.ok(cases.length > 500, 'it is there');
  for (const { name, selector, document, result, results, invalid_selector: isInvalid } of cases) {
    if (isInvalid) t.throws(() => parseJsonPath(selector), JsonPathError, name);
    else {
      const found = evaluateJsonPath(parseJsonPath(selector), document, new StepBudget(10_000));
      const expected = results ?? [result];
      t.ok(
        expected.some((one) => JSON.stringify(one) === JSON.stringify(found)),
        name,
        { selector, found, expected },
      );
    }
  }
});

t.test('JSONPath refuses functions', async (t) => {
  for (const path of ['$[?match(@.a, "(a+)+$")]', '$[?search(@, "x")]', '$[?length(@.a) > 1]', '$[?@.a == count(@.*)]'])
    t.throws(() => parseJsonPath(path), JsonPathError, path);
});

t.test('JSONPath ends in bounded steps, whatever the document and the query', async (t) => {
  const nested = '['.repeat(100_000) + ']'.repeat(100_000);
  const deep = JSON.parse(nested);
  const wide = JSON.parse(`[${'[1,1,1,1,1,1,1,1],'.repeat(10_000)}0]`);
  const query = (text: string) => parseJsonPath(text);
  t.throws(() => evaluateJsonPath(query('$..*..*..*'), wide, new StepBudget(100_000)), JsonPathBudgetError);
  t.throws(() => evaluateJsonPath(query('$..[?@..[?@..*]]'), wide, new StepBudget(100_000)), JsonPathBudgetError);
  t.throws(
    () => evaluateJsonPath(query('$[?@ == $[1]]'), [deep, JSON.parse(nested)], new StepBudget(1000)),
    JsonPathBudgetError,
  );
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [i, i]));
  t.throws(
    () =>
      evaluateJsonPath(
        query('$[?@ == $[0]]'),
        [many, ...Array.from({ length: 50_000 }, () => ({}))],
        new StepBudget(500_000),
      ),
    JsonPathBudgetError,
  );
  t.throws(() => evaluateJsonPath(query('$[*]'), many, new StepBudget(90_000)), JsonPathBudgetError, 'to gather costs');
  t.equal(evaluateJsonPath(query('$[*]'), many, new StepBudget(101_000)).length, 50_000);
  const alike = { a: `${'x'.repeat(200_000)}y`, b: `${'x'.repeat(200_000)}z`, list: Array(1000).fill(1) };
  for (const operator of ['<', '<=', '>', '>=', '==', '!='])
    t.throws(
      () => evaluateJsonPath(query(`$.list[?$.a ${operator} $.b]`), alike, new StepBudget(100_000)),
      JsonPathBudgetError,
      `long texts that are compared by ${operator} cost steps`,
    );
  const members = `$.list[?$${'.a'.repeat(100)} == 1]`;
  t.throws(() => evaluateJsonPath(query(members), alike, new StepBudget(50_000)), JsonPathBudgetError, 'members too');
  const names = `$..[${Array(50).fill("'a'").join()}]`;
  t.throws(() => evaluateJsonPath(query(names), wide, new StepBudget(500_000)), JsonPathBudgetError, 'selectors too');
  t.equal(evaluateJsonPath(query('$..*'), deep, new StepBudget(400_000)).length, 99_999, 'depth costs steps, no stack');
  t.equal(evaluateJsonPath(query('$[?@ == @]'), [deep], new StepBudget(300_000)).length, 1);
});

t.test('JSONPath takes any text as a query or refuses it', async () => {
  const piece = fc.constantFrom(
    '$',
    '@',
    '.',
    '..',
    '[',
    ']',
    '?',
    '(',
    ')',
    '*',
    ',',
    ':',
    '-1',
    '0',
    "'a'",
    'a',
    '==',
    '<',
    '&&',
    '||',
    '!',
    ' ',
    '\\u0000',
    'true',
    'length(',
  );
  const document = { a: [1, { a: 'x', b: [true, null] }], b: { a: { a: 2 } } };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        evaluateJsonPath(parseJsonPath(`$${pieces.join('')}`), document, new StepBudget(10_000));
      } catch (error) {
        if (!(error instanceof JsonPathError) && !(error instanceof JsonPathBudgetError)) throw error;
      }
    }),
    { numRuns: rounds(3000), interruptAfterTimeLimit: 1500 },
  );
});
