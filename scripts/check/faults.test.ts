import t from 'tap';
import { judgeFaults, parseFaults } from './faults.js';

const page = (...rows: string[]) =>
  [
    '- **I1** stored.',
    '- **I7** bounded.',
    '',
    '## Disks',
    '',
    '| fault | promised | test | seen |',
    '|---|---|---|---|',
    '| disk full | I1, I7: said | a.test.ts › runs<br>a.test.ts › runs too | 24 MiB |',
    ...rows,
    '## Not yet tested',
    '',
    '| fault | promised | missing |',
    '|---|---|---|',
    '| disk slow | I7: waits | everything |',
  ].join('\n');

const testFile = `t.test('runs', async () => {});\nt.test('runs too', async () => {});\nt.skip('sleeps', async () => {});`;
const read = (path: string) => (path === 'a.test.ts' ? testFile : null);
const expected = ['disk full', 'disk slow'];

t.test('rows are those of every table, those under "Not yet tested" without tests', async (t) => {
  t.strictSame(parseFaults(page()), [
    { fault: 'disk full', promised: 'I1, I7: said', tests: ['a.test.ts › runs', 'a.test.ts › runs too'], line: 8 },
    { fault: 'disk slow', promised: 'I7: waits', tests: null, line: 13 },
  ]);
});

t.test('a fault without a row, with two, or with a row without a test, is reported', async (t) => {
  t.strictSame(judgeFaults(page(), expected, read), []);
  const cases = [
    [judgeFaults(page(), [...expected, 'disk gone'], read), /no row for "disk gone"/],
    [judgeFaults(page(), ['disk full'], read), /faults\.md:13: "disk slow" is not in scripts\/check\/fault-list\.ts/],
    [judgeFaults(page('| disk slow | I7 | a.test.ts › runs | |'), expected, read), /"disk slow" has a row already/],
    [judgeFaults(page('| dust | I7 | | |'), [...expected, 'dust'], read), /"dust" names no test: it belongs under/],
    [judgeFaults(page('| dust | I7 | a.test.ts › rests | |'), [...expected, 'dust'], read), /no test "rests"/],
    [judgeFaults(page('| dust | I7 | a.test.ts › sleeps | |'), [...expected, 'dust'], read), /always skipped/],
    [judgeFaults(page('| dust | fine | a.test.ts › runs | |'), [...expected, 'dust'], read), /names no invariant/],
    [judgeFaults(page('| dust | I9 | a.test.ts › runs | |'), [...expected, 'dust'], read), /"I9" is explained nowhere/],
  ] as const;
  for (const [findings, said] of cases) t.match(findings, [said], String(said));
});
