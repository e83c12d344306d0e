import t from 'tap';
import { parse } from 'yaml';
import { readYaml } from './read-yaml.js';
import { boundedTokens } from './yaml-tokens.js';

const limits = { depth: 4, values: 30, texts: 200, anchors: 5 };

t.test('YAML is read with anchors and merge keys, as plain values', async (t) => {
  const text = 'd: &d {a: 1, b: no}\none: {<<: *d, a: 2}\ntwo: [*d]\n';
  const d = { a: 1, b: 'no' };
  t.same(readYaml(text, limits), { d, one: { a: 2, b: 'no' }, two: [d] });
});

t.test('a number of YAML that would be rounded is the text that was written', async (t) => {
  t.strictSame(readYaml('[18014398509481985, 1e400, 5, 0.1, 0x10]', limits), [
    '18014398509481985',
    '1e400',
    5,
    0.1,
    16,
  ]);
});

t.test('excessive YAML, and features that no file of monitors needs, are errors with their place', async (t) => {
  const cases: readonly [string, RegExp, number | null][] = [
    ['a: [1', /flow/i, 1],
    ['a: 1\nb: {c: 2\n', /flow/i, 3],
    ['a: !custom 1', /tag/, 1],
    ['a: !!binary eA==', /tag/, 1],
    ['a: 1\n---\nb: 1', /document/, 2],
    ['a: 1\na: 2', /unique/, 2],
    ['[[[[[1]]]]]', /deeper than 4/, null],
    [`[${'1,'.repeat(30)}]`, /more than 30 values/, null],
    ['a: &a [1,1,1,1]\nb: &b [*a,*a]\nc: [*b,*b,*b]', /more than 30 values/, null],
    [`a: &a ${'x'.repeat(60)}\nb: [*a,*a,*a]`, /more than 200 characters after aliases are expanded/, null],
    ['a: &a [1]\nb: [*a,*a,*a,*a,*a,*a]', /more than 5 aliases/, null],
    ['[&a 1,&b 1,&c 1,&d 1,&e 1,&f 1]', /more than 5 anchors/, null],
    ['a: &a {x: 1}\nb: {<<: [*a, 1]}', /only mappings can be merged/, 2],
    ['a: 1\n? [b]\n: 1', /key must be a string/, 2],
    ['1: a\n"1": b', /unique/, 2],
    ['a: &a [*a]', /\*a has no anchor/, 1],
    ['a: *b', /b/, 1],
    ['a: 1\nb: [*c]\nd: &c 1', /c/, 2],
    ['- - - - - 1', /deeper than 4/, null],
    ['a: {b: {c: [{d: 1}]}}', /deeper than 4/, null],
  ];
  for (const [text, message, line] of cases) {
    const place = line === null ? /^it / : new RegExp(`^line ${line}, column \\d+: `);
    t.throws(() => readYaml(text, limits), { name: 'YamlMistake', message }, text);
    t.throws(() => readYaml(text, limits), { message: place }, text);
  }
});

t.test('excess is detected before anything is built from it', async (t) => {
  const text = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join('');
  const cases = [
    text(60_000, (i) => `a${i}: &x${i} 1\n`),
    `a: &a 1\nb: [${text(60_000, () => '*a,')}]`,
    '['.repeat(60_000),
    '- '.repeat(60_000),
    `[${'1,'.repeat(60_000)}]`,
  ];
  for (const file of cases) {
    let pieces = 0;
    const tokens = () => {
      for (const _ of boundedTokens(file, limits, () => {})) pieces += 1;
    };
    t.throws(tokens, { name: 'YamlMistake' });
    t.equal(pieces, 0, `${file.slice(0, 20)}: no document is handed on`);
  }
});

t.test('the result equals that of the library, with one visit of each node', async (t) => {
  const cases = [
    'a: 1\n2: b\nnull: c\ntrue: [~, 0x1f, .inf, "1", no]\n? d\n',
    'a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {x: 0, <<: [*a, *b], z: 5}\nd: {<<: *a, <<: *b}\ne: {"<<": 1}',
    'a: &a 1\nb: &a 2\nc: *a\n*a : 3',
    '&k key: *k',
    '__proto__: {a: 1}\nb: {__proto__: 2}',
    'a: |\n  &no anchor\n  *no alias\nb: >-\n  one\n  two\n# and a comment\nc: "\\u0041"',
    '',
    '--- 7\n...\n',
  ];
  const many = { depth: 32, values: 1_000, texts: 10_000, anchors: 100 };
  for (const text of cases) t.strictSame(readYaml(text, many), parse(text, { schema: 'core', merge: true }), text);
});
