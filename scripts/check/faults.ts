import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { faults as known } from './fault-list.js';
import { judgeTest, readTest, splitCells, splitTests } from './named-tests.js';

const document = 'docs/faults.md';
const UNTESTED = 'Not yet tested';

/** One row of the page: a fault, tested or not. */
export interface FaultRow {
  readonly fault: string;
  /** Invariants that remain true, in words and by number. */
  readonly promised: string;
  /** `path › title`, one or more; null in the section of those that nobody tests yet. */
  readonly tests: readonly string[] | null;
  /** Line in the document, from 1. */
  readonly line: number;
}

/** Every fault has its row, and every row that says so its tests. */
export const faults: Check = {
  name: 'faults',
  title: `every fault stands in ${document}, and the tests it names exist`,
  run: async (root) => judgeFaults(readPage(root), known, (path) => readTest(root, path)),
  remark: (root) => {
    const untested = parseFaults(readPage(root)).filter(({ tests }) => tests === null).length;
    return untested === 0 ? null : `${untested} of ${known.length} faults not yet tested, see ${document}`;
  },
};

function readPage(root: string): string {
  return readFileSync(join(root, document), 'utf8');
}

/** Finds errors in the page; `expected`: the faults that it must cover, `read`: the text of a test file, or null. */
export function judgeFaults(
  page: string,
  expected: readonly string[],
  read: (path: string) => string | null,
): Finding[] {
  const rows = parseFaults(page);
  const explained = new Set([...page.matchAll(/^- \*\*(I\d+)\*\*/gm)].map((match) => match[1]));
  const missing = expected.filter((fault) => !rows.some((row) => row.fault === fault));
  return [
    ...missing.map((fault) => `${document}: no row for "${fault}"`),
    ...rows.flatMap((row, at) => {
      const isAgain = rows.findIndex(({ fault }) => fault === row.fault) < at;
      return [
        ...(expected.includes(row.fault) ? [] : [`"${row.fault}" is not in scripts/check/fault-list.ts`]),
        ...(isAgain ? [`"${row.fault}" has a row already`] : []),
        ...judgePromised(row, explained),
        ...judgeTests(row, read),
      ].map((complaint) => `${document}:${row.line}: ${complaint}`);
    }),
  ];
}

/** Rows of the tables whose first column is "fault". */
export function parseFaults(page: string): FaultRow[] {
  let section = '';
  return page.split('\n').flatMap((line, index) => {
    section = /^## (.*)/.exec(line)?.[1]?.trim() ?? section;
    const [fault, promised = '', tests = ''] = splitCells(line) ?? [];
    if (fault === undefined || fault === 'fault') return [];
    return [{ fault, promised, tests: section === UNTESTED ? null : splitTests(tests), line: index + 1 }];
  });
}

function judgePromised({ fault, promised }: FaultRow, explained: ReadonlySet<string | undefined>): string[] {
  const named = promised.match(/\bI\d+\b/g) ?? [];
  if (named.length === 0) return [`"${fault}" names no invariant`];
  return named.filter((name) => !explained.has(name)).map((name) => `"${name}" is explained nowhere on the page`);
}

function judgeTests({ fault, tests }: FaultRow, read: (path: string) => string | null): string[] {
  if (tests === null) return [];
  if (tests.length === 0) return [`"${fault}" names no test: it belongs under "${UNTESTED}"`];
  return tests.flatMap((test) => judgeTest(test, read) ?? []);
}
