import t from 'tap';
import { judgeTest } from './named-tests.js';
import { judgeFile, judgePromise, parsePromises } from './promises.js';

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
  ['a.test.ts', /not of the form/],
  ['a.ts › runs', /not of the form/],
] as const;

const read = (path: string) => (path === 'a.test.ts' ? testFile : null);

t.test('the name of a test is refused unless its file exists and the test runs', async (t) => {
  for (const [test, said] of rows) {
    const complaint = judgeTest(test, read);
    if (said === null) t.equal(complaint, null, test);
    else t.match(complaint, said, test);
  }
});

t.test('the name of a file of tests is refused unless it exists, and so is the title of a test', async (t) => {
  t.equal(judgeFile('a.test.ts', read), null);
  t.match(judgeFile('b.test.ts', read), /no file "b\.test\.ts"/);
  for (const test of ['a.ts', 'a.test.ts › runs']) t.match(judgeFile(test, read), /is not path/, test);
});

t.test('a promise without a test is refused, and every error in its tests is reported with its line', async (t) => {
  const judge = (test: string) => (test === 'good' ? null : `no ${test}`);
  t.strictSame(judgePromise({ promise: 'p', tests: ['good', 'bad', 'worse'], line: 3 }, judge), [
    '3: no bad',
    '3: no worse',
  ]);
  t.match(judgePromise({ promise: 'p', tests: [], line: 7 }, judge), [/^7: "p" names no test/]);
});
