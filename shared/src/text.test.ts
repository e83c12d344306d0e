import fc from 'fast-check';
import t from 'tap';
import { rounds } from './_support/rounds.js';
import { findUnstorableText, isStorableText } from './text.js';

t.test('NUL and lone surrogates are found, everything else can be stored', async (t) => {
  const cases: readonly (readonly [text: string, isStorable: boolean])[] = [
    ['', true],
    ['plain', true],
    ['\u0001\u001f\u007f\uffff\ufffd', true],
    ['\u{1f4a9}', true],
    ['\ud83d\udca9', true],
    ['\0', false],
    ['a\0b', false],
    ['\ud800', false],
    ['\udfff', false],
    ['a\ud83d', false],
    ['\udca9\ud83d', false],
    ['\ud83d\ud83d\udca9', false],
  ];
  for (const [i, [text, isStorable]] of cases.entries()) {
    t.equal(isStorableText(text), isStorable, `text ${i}`);
    t.equal(findUnstorableText({ a: [0, { b: text }] }), isStorable ? null : 'a.1.b', `value ${i}`);
  }
});

t.test('a string can be stored exactly when it survives UTF-8 and has no NUL', async () => {
  const unit = fc.oneof(
    fc.constantFrom('\0', '\ud800', '\udfff', 'a'),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
      const survives = Buffer.from(text, 'utf8').toString('utf8') === text;
      return isStorableText(text) === (survives && !text.includes('\0'));
    }),
    { numRuns: rounds(2000) },
  );
});

t.test('the path names the first bad string or key', async (t) => {
  t.equal(findUnstorableText('\0'), 'body');
  t.equal(findUnstorableText({ a: 'x', b: { c: ['x', '\0'] }, d: '\0' }), 'b.c.1');
  t.equal(findUnstorableText({ a: { b: '\0' }, c: '\0' }), 'a.b');
  t.equal(
    findUnstorableText({ a: { 'b\0': 1 } }),
    'a.b\ufffd',
    'a key counts, and what cannot be stored is not in the path',
  );
  t.equal(findUnstorableText({ '\ud800': { x: '\0' } }), '\ufffd');
  t.equal(findUnstorableText(JSON.parse('{"__proto__": {"x": "\\u0000"}}')), '__proto__.x');
});

t.test('values without text pass', async (t) => {
  for (const value of [null, undefined, 0, true, [], {}, [null, 1, { a: [] }]])
    t.equal(findUnstorableText(value), null);
});

t.test('depth is no danger', async (t) => {
  const depth = 50_000;
  const text = `${'['.repeat(depth)}"\\u0000"${']'.repeat(depth)}`;
  t.match(findUnstorableText(JSON.parse(text)), /^0(\.0)+$/);
});
