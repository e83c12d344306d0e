import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { isStorableText } from '../text.js';
import { noFacts } from './facts.js';
import { describeFailures, findFailures } from './failures.js';
import type { Assertion } from './schema.js';
import { shownValue } from './shown.js';

const status = (value: number, severity: Assertion['severity'] = 'down'): Assertion => ({
  type: 'status_code',
  op: 'eq',
  value,
  severity,
});
const header = (name: string, value: string): Assertion => ({
  type: 'header_value',
  op: 'eq',
  name,
  value,
  severity: 'down',
});

t.test('a failed assertion is reported with the value found and the value expected', async (t) => {
  const facts = { ...noFacts, statusCode: 500, headers: { 'x-a': 'b"c' } };
  t.strictSame(findFailures([status(200, 'degraded'), header('X-A', 'd'), status(500), header('X-B', 'e')], facts), [
    { severity: 'degraded', text: 'status_code is 500, expected eq 200' },
    { severity: 'down', text: 'header_value X-A is "b\\"c", expected eq "d"' },
    { severity: 'down', text: 'header_value X-B cannot be judged: the response has no such header, expected eq "e"' },
  ]);
});

t.test('a value is shown in at most 100 characters, and a path in 60', async (t) => {
  const facts = { ...noFacts, headers: { 'x-a': 'y'.repeat(5000) } };
  const [failure] = findFailures([header('x-a', 'z'.repeat(256))], facts);
  t.equal(failure?.text, `header_value x-a is "${'y'.repeat(98)}…, expected eq "${'z'.repeat(98)}…`);
  const path = `$['${'p'.repeat(200)}']`;
  const [other] = findFailures([{ type: 'json_path', op: 'eq', value: 1, severity: 'down', path }], noFacts);
  t.match(other?.text, `json_path ${path.slice(0, 59)}… cannot be judged`);
});

t.test('a message names five failures and counts the others, none of them pushed out by a long one', async (t) => {
  const failures = Array.from({ length: 7 }, (_, i) => ({ severity: 'down' as const, text: `failure ${i}` }));
  t.equal(describeFailures(failures), 'failure 0; failure 1; failure 2; failure 3; failure 4; and 2 more');
  const long = { severity: 'down' as const, text: 'x'.repeat(500) };
  const message = describeFailures([long, ...failures.slice(0, 4)]);
  t.equal(message.length, 500);
  for (const { text } of failures.slice(0, 4)) t.match(message, text);
});

t.test('whatever servers answer, a message can be stored and has at most 500 characters', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 8 }), (pairs) => {
      const facts = {
        ...noFacts,
        headers: Object.fromEntries(pairs.map(([found], i) => [`h${i}`, `${found}!\0\ud800`])),
      };
      const failures = findFailures(
        pairs.map(([, value], i) => header(`h${i}`, value || 'x')),
        facts,
      );
      const message = describeFailures(failures);
      return failures.length === pairs.length && message.length <= 500 && isStorableText(message);
    }),
    { numRuns: rounds(1000), interruptAfterTimeLimit: 2000 },
  );
});

t.test('a secret is shown in no value, however it is escaped and wherever the value is cut', async (t) => {
  const secrets = ['hunter2"\\x', 'hunter2', 'a'];
  t.equal(shownValue({ a: 'my hunter2"\\x' }, secrets), '{"a":"my [secret]"}');
  t.equal(shownValue('hunter2', secrets), '"[secret]"');
  for (let at = 80; at < 100; at += 1) t.notMatch(shownValue(`${'-'.repeat(at)}hunter2`, secrets), /hun/);
});
