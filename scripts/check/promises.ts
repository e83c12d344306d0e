import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { judgeTest, readTest, splitCells, splitTests } from './named-tests.js';

/** Documents whose tables promise something. Their rows name files of tests, or single tests by `path › title`. */
const documents = ['docs/promises.md', 'docs/security.md'];

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
  title: `every promise in ${documents.join(' and ')} names a test that exists`,
  run: async (root) => documents.flatMap((document) => judgeDocument(root, document)),
};

function judgeDocument(root: string, document: string): Finding[] {
  const rows = parsePromises(readFileSync(join(root, document), 'utf8'));
  if (rows.length === 0) return [`${document}: names no promise`];
  return rows
    .flatMap((row) => judgePromise(row, (path) => readTest(root, path)))
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

/** Finds what is wrong with one promise, each with its line; `read` gives the text of a test file, or null. */
export function judgePromise({ promise, tests, line }: PromiseRow, read: (path: string) => string | null): Finding[] {
  if (tests.length === 0) return [`${line}: "${promise}" names no test`];
  return tests.flatMap((test) => {
    const complaint = judgeNamed(test, read);
    return complaint === null ? [] : [`${line}: ${complaint}`];
  });
}

function judgeNamed(test: string, read: (path: string) => string | null): Finding | null {
  if (test.includes(' › ')) return judgeTest(test, read);
  if (!test.endsWith('.test.ts')) return `"${test}" is not path/file.test.ts`;
  return read(test) === null ? `no file "${test}"` : null;
}
