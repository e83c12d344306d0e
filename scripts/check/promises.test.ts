import t from 'tap';
import { judgePromise, type PromiseRow, parsePromises } from './promises.js';

const table = [
  '# Promises',
  '',
  '| promise | test |',
  '| --- | :-- |',
  '| a token works once | `agent/src/a.test.ts` › token works once |',
  '| two tests \\| one row | a.test.ts › one<br>b.test.ts › two › three |',
  '| nobody tests this | |',
].join('\n');

t.test('each row of the table is a promise with its tests', async (t) => {
  t.strictSame(parsePromises(table), [
    { promise: 'a token works once', tests: ['`agent/src/a.test.ts` › token works once'], line: 5 },
    { promise: 'two tests | one row', tests: ['a.test.ts › one', 'b.test.ts › two › three'], line: 6 },
    { promise: 'nobody tests this', tests: [], line: 7 },
  ]);
});

const testFile = [
  `t.test('runs', async (t) => {`,
  `  await t.test("it's inside", async () => {});`,
  `});`,
  `t.test('needs root', { skip: isRoot ? false : 'needs root' }, async () => {});`,
  `t.test('never', { skip: true }, async () => {});`,
  `t.test('never, with a reason', {`,
  `  skip: 'flaky',`,
  `}, async () => {});`,
  `t.skip('left out', async () => {});`,
  `t.todo('one day');`,
  `const cases = [['a case of a table', 1]];`,
  `// t.test('only in a comment')`,
  't.test(`IPv${family}: only answers pass`, async () => {});',
  't.test(`${name}: ${what}`, async () => {});',
].join('\n');

/** [what the row names, what is said of it] */
const rows = [
  ['a.test.ts › runs', null],
  ['`a.test.ts` › runs', null],
  [`a.test.ts › runs › it's inside`, null],
  ['a.test.ts › needs root', null],
  ['a.test.ts › a case of a table', null],
  ['a.test.ts › IPv6: only answers pass', null],
  ['a.test.ts › IPv6: only answers', /no test/],
  ['a.test.ts › run', /no test "run" in a\.test\.ts/],
  ['a.test.ts › runs › elsewhere', /no test "elsewhere"/],
  ['a.test.ts › only in a comment', /no test "only in a comment"/],
  ['a.test.ts › never', /"never" is always skipped/],
  ['a.test.ts › never, with a reason', /always skipped/],
  ['a.test.ts › left out', /always skipped/],
  ['a.test.ts › one day', /always skipped/],
  ['b.test.ts › runs', /no file "b\.test\.ts"/],
  ['a.test.ts', null],
  ['b.test.ts', /no file "b\.test\.ts"/],
  ['a.ts', /is not path/],
  ['a.ts › runs', /not of the form/],
] as const;

t.test('a promise is refused unless its file of tests exists, and a test that it names runs', async (t) => {
  const read = (path: string) => (path === 'a.test.ts' ? testFile : null);
  for (const [test, said] of rows) {
    const row: PromiseRow = { promise: 'p', tests: [test], line: 3 };
    const findings = judgePromise(row, read);
    if (said === null) t.strictSame(findings, [], test);
    else t.match(findings, [said], test);
  }
  t.match(judgePromise({ promise: 'p', tests: [], line: 7 }, read), [/^7: "p" names no test/]);
});
