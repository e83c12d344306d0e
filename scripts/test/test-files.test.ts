import t from 'tap';
import { mayNeedDatabase, type SuiteName, selectTestFiles, suiteNames, suiteOf, type TestFile } from './test-files.js';

const file = (source: string): TestFile => {
  const [folder = '', ...path] = source.split('/');
  return {
    source,
    compiled: `${folder}/dist/${path.join('/').replace(/\.ts$/, '.js')}`,
    suite: suiteOf(source),
    isAlone: false,
  };
};
const files = [
  'shared/src/ids.test.ts',
  'agent/src/spool/spool.test.ts',
  'agent/test/crash.long.test.ts',
  'control-plane/src/db/batcher.test.ts',
  'control-plane/test/serve.spawn.test.ts',
  'scripts/lab/address-plan.test.ts',
  'scripts/lab/lab.long.test.ts',
  'scripts/release/bundle.test.ts',
].map(file);
const select = (filters: string[], suites: readonly SuiteName[] = ['daily']) =>
  selectTestFiles(files, filters, suites).map(({ source }) => source);

t.test('the daily suite runs unless others are asked for', async (t) => {
  t.strictSame(select([]), [
    'shared/src/ids.test.ts',
    'agent/src/spool/spool.test.ts',
    'control-plane/src/db/batcher.test.ts',
    'scripts/release/bundle.test.ts',
  ]);
  t.strictSame(select([], ['tools']), ['scripts/lab/address-plan.test.ts']);
  t.strictSame(select([], ['spawn']), ['control-plane/test/serve.spawn.test.ts']);
  t.strictSame(select(['agent'], ['long']), ['agent/test/crash.long.test.ts']);
  t.strictSame(select([], suiteNames).length, 8);
});

t.test('a path selects its files, as source or compiled, and a long suite by name', async (t) => {
  t.strictSame(select(['agent/src']), ['agent/src/spool/spool.test.ts']);
  t.strictSame(select(['./shared/src/ids.test.ts', 'batcher']), [
    'shared/src/ids.test.ts',
    'control-plane/src/db/batcher.test.ts',
  ]);
  t.strictSame(select(['agent/dist/src/spool']), ['agent/src/spool/spool.test.ts']);
  t.strictSame(select(['crash']), []);
  t.strictSame(select(['crash.long']), ['agent/test/crash.long.test.ts']);
  t.strictSame(select(['nowhere']), []);
});

t.test('PostgreSQL starts only for tests that may ask for it', async (t) => {
  t.strictSame(
    files.filter(mayNeedDatabase).map(({ source }) => source),
    ['agent/test/crash.long.test.ts', 'control-plane/src/db/batcher.test.ts', 'control-plane/test/serve.spawn.test.ts'],
  );
});
