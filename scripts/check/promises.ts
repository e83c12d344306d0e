import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { judgeTest, readTest, splitCells, splitTests } from './named-tests.js';

const document = 'docs/promises.md';

/** One row of the promises' table. */
export interface PromiseRow {
  readonly promise: string;
  /** `path › title`, one or more. */
  readonly tests: readonly string[];
  /** Line in the document, from 1. */
  readonly line: number;
}

/** Every promise names a test that exists and runs. */
export const promises: Check = {
  name: 'promises',
  title: `every promise in ${document} names a test that exists`,
  run: async (root) => {
    const rows = parsePromises(readFileSync(join(root, document), 'utf8'));
    if (rows.length === 0) return [`${document}: names no promise`];
    return rows.flatMap((row) => judgePromise(row, (path) => readTest(root, path)));
  },
};

/** Rows of the tables `| promise | test |` of a document; several tests of a promise are divided by `<br>`. */
export function parsePromises(text: string): PromiseRow[] {
  return text.split('\n').flatMap((line, index) => {
    const [promise, tests = ''] = splitCells(line) ?? [];
    if (promise === undefined || promise.toLowerCase() === 'promise') return [];
    return [{ promise, tests: splitTests(tests), line: index + 1 }];
  });
}

/** What is wrong with one promise; `read` gives the text of a test file, or null. */
export function judgePromise({ promise, tests, line }: PromiseRow, read: (path: string) => string | null): Finding[] {
  const place = `${document}:${line}`;
  if (tests.length === 0) return [`${place}: "${promise}" names no test`];
  return tests.flatMap((test) => {
    const complaint = judgeTest(test, read);
    return complaint === null ? [] : [`${place}: ${complaint}`];
  });
}
