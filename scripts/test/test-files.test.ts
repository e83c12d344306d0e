import t from 'tap';
import { mayNeedDatabase, selectTestFiles, type TestFile } from './test-files.js';

const file = (source: string): TestFile => {
  const [folder = '', ...path] = source.split('/');
  return {
    source,
    compiled: `${folder}/dist/${path.join('/').replace(/\.ts$/, '.js')}`,
    isLong: source.endsWith('.long.test.ts'),
    isAlone: false,
  };
};
const files = [
  'shared/src/ids.test.ts',
  'agent/src/spool/spool.test.ts',
  'agent/test/crash.long.test.ts',
  'control-plane/src/db/batcher.test.ts',
].map(file);
const select = (filters: string[], isCi = false) => selectTestFiles(files, filters, isCi).map(({ source }) => source);

t.test('all but the long suites run; CI runs them too', async (t) => {
  t.strictSame(select([]), [
    'shared/src/ids.test.ts',
    'agent/src/spool/spool.test.ts',
    'control-plane/src/db/batcher.test.ts',
  ]);
  t.strictSame(select([], true).length, 4);
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
    ['agent/test/crash.long.test.ts', 'control-plane/src/db/batcher.test.ts'],
  );
});
