import t from 'tap';
import { exportOf } from '../../../../../test/_support/import-file.js';
import { parseFile } from './parse-file.js';

t.test('an invalid file is refused with the error and its place', async (t) => {
  const json = JSON.stringify(exportOf({ name: 'A' }, { name: 'B' }));
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
  const bomb = [
    'a: &a [x, x]',
    ...'bcdefghijklmnopqrstuvwxyz'
      .split('')
      .map((name, i) => `${name}: &${name} [${`*${String.fromCharCode(97 + i)},`.repeat(9)}]`),
  ].join('\n');
  const cases: readonly [why: string, file: string, code: string, field: string, message: RegExp][] = [
    ['truncated JSON', json.slice(0, -40), 'REQUEST_BODY_INVALID', 'body', /line 1, column \d+/],
    ['two documents', 'a: 1\n---\nb: 2\n', 'REQUEST_BODY_INVALID', 'body', /line/],
    ['a tag', 'endpoints: !!js/function "x"', 'REQUEST_BODY_INVALID', 'body', /line 1, column \d+.*tag/],
    ['an alias bomb', bomb, 'REQUEST_BODY_INVALID', 'body', /after aliases are expanded/],
    [
      'many anchors',
      Array.from({ length: 10_001 }, (_, index) => `a${index}: &x${index} 1`).join('\n'),
      'REQUEST_BODY_INVALID',
      'body',
      /more than 10000 anchors/,
    ],
    ['an alias of itself', 'endpoints: &a [*a]', 'REQUEST_BODY_INVALID', 'body', /./],
    [
      'a long text',
      JSON.stringify({ endpoints: [{ name: 'x'.repeat(65_537) }] }),
      'REQUEST_BODY_INVALID',
      'body',
      /65536/,
    ],
    [
      'long texts by alias',
      `a: &a ${'x'.repeat(60_000)}\nb: [${'*a,'.repeat(400)}]`,
      'REQUEST_BODY_INVALID',
      'body',
      /after aliases are expanded/,
    ],
    ['deep YAML', `endpoints: ${deep}`, 'REQUEST_BODY_INVALID', 'body', /deeper than 32/],
    ['no text', '\u0000', 'VALIDATION_FAILED', 'body', /U\+0000/],
    ['a text', '"x"', 'VALIDATION_FAILED', 'body', /must be an object/],
    [
      'endpoints of another type',
      'endpoints: []\nexternal-endpoints: 1',
      'VALIDATION_FAILED',
      'external-endpoints',
      /list/,
    ],
    [
      'too many',
      JSON.stringify(exportOf(...Array.from({ length: 10_001 }, () => ({})))),
      'VALIDATION_FAILED',
      'monitors',
      /10000/,
    ],
  ];
  for (const [why, file, code, field, message] of cases) {
    t.throws(() => parseFile(Buffer.from(file), null), { code, details: { [field]: [{ message }] } }, why);
  }
});
