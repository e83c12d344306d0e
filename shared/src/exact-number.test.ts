import t from 'tap';
import { compareNumbers, ExactNumber, findRoundedNumber, isRounded, parseExactJson } from './exact-number.js';

const kept = [
  '0',
  '-0',
  '1',
  '1.0',
  '10e-1',
  '1e300',
  '5e-324',
  '0.1',
  '0.30000000000000004',
  '9007199254740991',
  '20000000000000000',
  // below 2^53 many programs write more digits than a double has, of the same number
  '0.10000000000000001',
  '3.14159265358979323846',
  '1e-400',
  `0.${'0'.repeat(400)}1`,
];
const rounded = ['18014398509481985', '-9007199254740993', '1e400', '-1e400'];

t.test(
  'a number that is another one in JavaScript is kept with all of its digits, any other is a number',
  async (t) => {
    for (const text of kept) {
      t.equal(isRounded(text), false, text);
      t.strictSame(parseExactJson(`[${text}]`), [Number(text)], text);
    }
    for (const text of rounded) {
      t.equal(isRounded(text), true, text);
      t.equal(findRoundedNumber(`{"a":"${text}","b":[${text}]}`), text);
      const [number, inText] = parseExactJson(` [ ${text} , "a\\\\\\"${text}" ] `) as unknown[];
      t.ok(number instanceof ExactNumber, text);
      t.equal(String(number), text);
      t.equal(inText, `a\\"${text}`, 'in a string it is text');
    }
    for (const text of ['', 'x', '1e', '018014398509481985', '0x18014398509481985', ' 18014398509481985', 'Infinity'])
      t.equal(isRounded(text), false, text);
    t.throws(() => parseExactJson('[18014398509481985'), SyntaxError);
    t.throws(() => parseExactJson('"18014398509481985'), SyntaxError);
  },
);

t.test('numbers are compared by all of their digits', async (t) => {
  const ascending = [
    '-1e400',
    '-18014398509481985',
    '-18014398509481984',
    '-1',
    '0',
    '0.1',
    '1',
    '9007199254740992',
    '9007199254740993',
    '18014398509481984',
    '18014398509481985',
    '1e300',
    '1e400',
    '1.5e400',
    '1e401',
    '1e99999999999',
  ].map((text) => (parseExactJson(`[${text}]`) as unknown[])[0]);
  for (const [i, left] of ascending.entries())
    for (const [j, right] of ascending.entries())
      t.equal(Math.sign(compareNumbers(left, right) as number), Math.sign(i - j), `${left} and ${right}`);
  const same = [
    ['18014398509481985', '18014398509481985.0'],
    ['1e400', '10e399'],
    ['1e400', `1${'0'.repeat(400)}`],
  ] as const;
  for (const [a, b] of same)
    t.equal(compareNumbers(new ExactNumber(a), new ExactNumber(b)), 0, `${a} and ${b.slice(0, 20)}`);
  t.equal(compareNumbers(new ExactNumber('-0.00000000000000000000'), 0), 0);
  t.equal(compareNumbers('1', 1), null);
});
