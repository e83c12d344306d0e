import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { judgeTest, readTest, splitCells, splitTests } from './named-tests.js';

/** Promises to users: a row names files of tests, so that a title can change without it. */
const PROMISES = 'docs/promises.md';
/** Promises about attackers: a row names the tests that act as one, by `path › title`. */
const SECURITY = 'docs/security.md';

/** One row of a table of promises. */
export interface PromiseRow {
  readonly promise: string;
  /** `path` or `path › title`, one or more. */
  readonly tests: readonly string[];
  /** Line in the document, from 1. */
  readonly line: number;
}

/** Every promise names a file of tests that exists, or a test that exists and runs. */
export const promises: Check = {
  name: 'promises',
  title: `every promise in ${PROMISES} and ${SECURITY} names a test that exists`,
  run: async (root) => [
    ...judgeDocument(root, PROMISES, judgeFile),
    ...judgeDocument(root, SECURITY, (test, read) =>
      test.includes(' › ') ? judgeTest(test, read) : judgeFile(test, read),
    ),
  ],
};

type JudgeNamed = typeof judgeTest;

function judgeDocument(root: string, document: string, judgeNamed: JudgeNamed): Finding[] {
  const rows = parsePromises(readFileSync(join(root, document), 'utf8'));
  if (rows.length === 0) return [`${document}: names no promise`];
  return rows
    .flatMap((row) => judgePromise(row, (test) => judgeNamed(test, (path) => readTest(root, path))))
    .map((complaint) => `${document}:${complaint}`);
}

/** Rows of the tables `| promise | test |` of a document; several tests of a promise are divided by `<br>`. */
export function parsePromises(text: string): PromiseRow[] {
  return text.split('\n').flatMap((line, index) => {
    const [promise, tests = ''] = splitCells(line) ?? [];
    if (promise === undefined || promise.toLowerCase() === 'promise') return [];
    return [{ promise, tests: splitTests(tests), line: index + 1 }];
  });
}

/** Errors of one promise, each with its line; `judgeNamed` returns the error of one of its tests, or null. */
export function judgePromise(
  { promise, tests, line }: PromiseRow,
  judgeNamed: (test: string) => string | null,
): Finding[] {
  if (tests.length === 0) return [`${line}: "${promise}" names no test`];
  return tests.flatMap((test) => {
    const complaint = judgeNamed(test);
    return complaint === null ? [] : [`${line}: ${complaint}`];
  });
}

/** Error in the name of a file of tests, or null; `read` gives its text, or null. */
export function judgeFile(test: string, read: (path: string) => string | null): string | null {
  if (!test.endsWith('.test.ts')) return `"${test}" is not path/file.test.ts`;
  return read(test) === null ? `no file "${test}"` : null;
}
