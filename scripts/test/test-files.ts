import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = ['shared', 'agent', 'control-plane', 'scripts'];

/**
 * Suites, by the end of the files' names: `*.spawn.test.ts` start programs, PostgreSQL servers or installers again and again;
 * `*.long.test.ts` kill, flood, fuzz or load; `daily` is everything else, but for the `tools` of those who work on Vantage.
 */
export const suiteNames = ['daily', 'tools', 'spawn', 'long'] as const;
export type SuiteName = (typeof suiteNames)[number];

/** Folders of tools that no user of Vantage runs, and which are tested when they change. */
const toolFolders = ['bench', 'check', 'fuzz', 'invariants', 'lab', 'nemesis', 'simulation', 'test'];
const isOfTool = new RegExp(`^scripts/(?:${toolFolders.join('|')})/`);

/** One compiled test file; both paths are relative to the repository root. */
export interface TestFile {
  /** Path of the compiled file: `shared/dist/src/ids.test.js`. */
  readonly compiled: string;
  /** Path of the source file, for people: `shared/src/ids.test.ts`. */
  readonly source: string;
  readonly suite: SuiteName;
  /** Runs in a process of its own: not daily, or it says why in a line `// alone: REASON` at its top, or it may be skipped as a whole. */
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
  const suite = suiteOf(source);
  return {
    compiled: `${packageName}/dist/${path}`,
    source,
    suite,
    isAlone:
      isProgramSuite(suite) || /^\/\/ alone: |\bskipFileWithout\(/m.test(readFileSync(join(root, source), 'utf8')),
  };
}

export function suiteOf(source: string): SuiteName {
  const named = suiteNames.find((name) => source.endsWith(`.${name}.test.ts`));
  return named ?? (isOfTool.test(source) ? 'tools' : 'daily');
}

/** True for suites whose files start programs, or load the machine, for minutes. */
export function isProgramSuite(suite: SuiteName): boolean {
  return suite === 'spawn' || suite === 'long';
}

/** Long ones first, then those that take seconds, so that the last to end is a short one. */
export function inRunningOrder(files: readonly TestFile[]): TestFile[] {
  const rank = ({ suite, source }: TestFile) => (isProgramSuite(suite) ? 0 : /^[^/]+\/test\//.test(source) ? 1 : 2);
  return [...files].sort((a, b) => rank(a) - rank(b));
}

/**
 * The files of the suites whose path contains one of `filters`, all when there are none. A filter that names a suite, as in
 * `crash.long`, selects its files as well.
 */
export function selectTestFiles(
  files: readonly TestFile[],
  filters: readonly string[],
  suites: readonly SuiteName[],
): TestFile[] {
  const wanted = filters.map((filter) => filter.replace(/^\.\//, ''));
  const matches = (file: TestFile) =>
    wanted.some((filter) => file.source.includes(filter) || file.compiled.includes(filter));
  const isNamed = (suite: SuiteName) => wanted.some((filter) => filter.includes(`.${suite}`));
  return files.filter(
    (file) => (suites.includes(file.suite) || isNamed(file.suite)) && (wanted.length === 0 || matches(file)),
  );
}

/** True if a test may need PostgreSQL: those of the control plane, those that need both programs, and a model of it. */
export function mayNeedDatabase(file: TestFile): boolean {
  return /^control-plane\/|^[^/]+\/test\/|^scripts\/simulation\/database\//.test(file.source);
}
