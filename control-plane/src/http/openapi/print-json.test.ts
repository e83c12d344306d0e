import t from 'tap';
import { printJson } from './print-json.js';

t.test('printed JSON has values that fit into a line in one line, and nothing is lost', async (t) => {
  t.equal(
    printJson({ type: 'string', enum: ['a', 'b'], not: {} }),
    '{ "type": "string", "enum": ["a", "b"], "not": {} }',
  );
  const long = { name: 'x'.repeat(70), list: [1, null, { deep: ['y'.repeat(40), 'z'.repeat(70)] }], last: true };
  const text = printJson(long);
  t.strictSame(JSON.parse(text), long);
  t.match(text, /^ {4}null,$/m);
  t.ok(text.split('\n').every((line) => line.length <= 120));
});
