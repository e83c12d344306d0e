import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = ['shared', 'agent', 'control-plane', 'scripts'];

/** One compiled test file; both paths are relative to the repository root. */
export interface TestFile {
  /** Path of the compiled file: `shared/dist/src/ids.test.js`. */
  readonly compiled: string;
  /** Path of the source file, for people: `shared/src/ids.test.ts`. */
  readonly source: string;
  /** Named `*.long.test.ts`: minutes rather than seconds. */
  readonly isLong: boolean;
  /** Runs in a process of its own: long, or it says why in a line `// alone: REASON` at its top, or it may be skipped as a whole. */
  readonly isAlone: boolean;
}

/** Every compiled test of the repository, by path. */
export function listTestFiles(root: string): TestFile[] {
  return packages.flatMap((name) =>
    readdirSync(join(root, name, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.js'))
      .sort()
      .map((path) => asTestFile(root, name, path)),
  );
}

function asTestFile(root: string, packageName: string, path: string): TestFile {
  const source = `${packageName}/${path.replace(/\.js$/, '.ts')}`;
  const isLong = path.endsWith('.long.test.js');
  return {
    compiled: `${packageName}/dist/${path}`,
    source,
    isLong,
    isAlone: isLong || /^\/\/ alone: |\bskipFileWithout\(/m.test(readFileSync(join(root, source), 'utf8')),
  };
}

/** Long ones first, then those that take seconds, so that the last to end is a short one. */
export function inRunningOrder(files: readonly TestFile[]): TestFile[] {
  const rank = ({ isLong, source }: TestFile) => (isLong ? 0 : /^[^/]+\/test\//.test(source) ? 1 : 2);
  return [...files].sort((a, b) => rank(a) - rank(b));
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

/** True if a test may need PostgreSQL: those of the control plane, those that need both programs, and a model of it. */
export function mayNeedDatabase(file: TestFile): boolean {
  return /^control-plane\/|^[^/]+\/test\/|^scripts\/simulation\/database\//.test(file.source);
}
