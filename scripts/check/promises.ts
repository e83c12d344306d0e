import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { maskComments } from './masked-code.js';

const document = 'docs/promises.md';
const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

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

function readTest(root: string, path: string): string | null {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Rows of the tables `| promise | test |` of a document; several tests of a promise are divided by `<br>`. */
export function parsePromises(text: string): PromiseRow[] {
  return text.split('\n').flatMap((line, index) => {
    const cells = /^\|(.*)\|\s*$/
      .exec(line)?.[1]
      ?.split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    const [promise, tests] = cells ?? [];
    if (promise === undefined || promise.toLowerCase() === 'promise' || /^:?-+:?$/.test(promise)) return [];
    const named = (tests ?? '')
      .split(/<br\s*\/?>/)
      .map((test) => test.trim())
      .filter((test) => test !== '');
    return [{ promise, tests: named, line: index + 1 }];
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

function judgeTest(test: string, read: (path: string) => string | null): string | null {
  const [path = '', ...titles] = test.split(' › ').map((part) => part.trim().replace(/^`|`$/g, ''));
  if (!path.endsWith('.test.ts') || titles.length === 0)
    return `"${test}" is not of the form path/file.test.ts › title`;
  const text = read(path);
  if (text === null) return `no file "${path}"`;
  for (const title of titles) {
    const complaint = judgeTitle(title, text);
    if (complaint !== null) return `${complaint} in ${path}`;
  }
  return null;
}

/** Looks for the title as a string of its own, then at what stands around it. */
function judgeTitle(title: string, text: string): string | null {
  const code = maskComments(text);
  const literal = `(['"\`])${escapeRegExp(title).replaceAll("'", "\\\\?'")}\\1`;
  if (!new RegExp(literal).test(code)) return hasTemplate(title, code) ? null : `no test "${title}"`;
  const isSkipped = new RegExp(`\\.(?:skip|todo)\\(\\s*${literal}`).test(code);
  const hasSkip = new RegExp(`${literal}\\s*,\\s*\\{[^}]*\\b(?:skip|todo):\\s*(?:true|['"\`])`).test(code);
  return isSkipped || hasSkip ? `test "${title}" is always skipped` : null;
}

/** Whether a template such as `IPv${family}: answers only` can make the title; one that is little but values does not count. */
function hasTemplate(title: string, code: string): boolean {
  return [...code.matchAll(/`([^`\\]*\$\{[^`\\]*)`/g)].some(([, template = '']) => {
    const fixed = template.split(/\$\{[^}]*\}/);
    return fixed.join('').trim().length >= 10 && new RegExp(`^${fixed.map(escapeRegExp).join('.+')}$`).test(title);
  });
}
