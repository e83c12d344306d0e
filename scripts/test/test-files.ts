import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const packages = ['shared', 'agent', 'control-plane', 'scripts'];

/** One compiled test file; both paths are relative to the repository root. */
export interface TestFile {
  /** What runs: `shared/dist/src/ids.test.js`. */
  readonly compiled: string;
  /** What people know it by: `shared/src/ids.test.ts`. */
  readonly source: string;
  /** Named `*.long.test.ts`: minutes rather than seconds. */
  readonly isLong: boolean;
}

/** Every compiled test of the repository, by path. */
export function listTestFiles(root: string): TestFile[] {
  return packages.flatMap((name) =>
    readdirSync(join(root, name, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.js'))
      .sort()
      .map((path) => asTestFile(name, path)),
  );
}

function asTestFile(packageName: string, path: string): TestFile {
  return {
    compiled: `${packageName}/dist/${path}`,
    source: `${packageName}/${path.replace(/\.js$/, '.ts')}`,
    isLong: path.endsWith('.long.test.js'),
  };
}

/**
 * The files to run: those whose path contains one of `filters` (all when there are none). Long ones only when `isCi`,
 * or when a filter says `.long`.
 */
export function selectTestFiles(files: readonly TestFile[], filters: readonly string[], isCi: boolean): TestFile[] {
  const wanted = filters.map((filter) => filter.replace(/^\.\//, ''));
  const matches = (file: TestFile) =>
    wanted.some((filter) => file.source.includes(filter) || file.compiled.includes(filter));
  const isLongWanted = isCi || wanted.some((filter) => filter.includes('.long'));
  return files.filter((file) => (isLongWanted || !file.isLong) && (wanted.length === 0 || matches(file)));
}

/** Whether a test may ask for PostgreSQL: those of the control plane, those that need both programs, and a model of it. */
export function mayNeedDatabase(file: TestFile): boolean {
  return /^control-plane\/|^[^/]+\/test\/|^scripts\/simulation\/database\//.test(file.source);
}
