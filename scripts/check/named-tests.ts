import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maskComments } from './masked-code.js';

// Documents name tests as `path/file.test.ts › title`, several of them separated by <br>, in cells of their tables.

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The text of a file below `root`, or null. */
export function readTest(root: string, path: string): string | null {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Cells of a row of a table; null for a line that is none, or only divides the head from the rows. */
export function splitCells(line: string): string[] | null {
  const cells = /^\|(.*)\|\s*$/
    .exec(line)?.[1]
    ?.split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
  return cells === undefined || /^:?-+:?$/.test(cells[0] ?? '') ? null : cells;
}

/** The tests that a cell names. */
export function splitTests(cell: string): string[] {
  return cell
    .split(/<br\s*\/?>/)
    .map((test) => test.trim())
    .filter((test) => test !== '');
}

/** Error in the name of a test, or null; `read` gives the text of a test file, or null. */
export function judgeTest(test: string, read: (path: string) => string | null): string | null {
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

/** Searches for the title as a string of its own, then examines the surrounding code. */
function judgeTitle(title: string, text: string): string | null {
  const code = maskComments(text);
  const literal = `(['"\`])${escapeRegExp(title).replaceAll("'", "\\\\?'")}\\1`;
  if (!new RegExp(literal).test(code)) return hasTemplate(title, code) ? null : `no test "${title}"`;
  const isSkipped = new RegExp(`\\.(?:skip|todo)\\(\\s*${literal}`).test(code);
  const hasSkip = new RegExp(`${literal}\\s*,\\s*\\{[^}]*\\b(?:skip|todo):\\s*(?:true|['"\`])`).test(code);
  return isSkipped || hasSkip ? `test "${title}" is always skipped` : null;
}

/**
 * True if a template such as `IPv${family}: answers only` can produce the title; a template that is little but values
 * does not count.
 */
function hasTemplate(title: string, code: string): boolean {
  return [...code.matchAll(/`([^`\\]*\$\{[^`\\]*)`/g)].some(([, template = '']) => {
    const fixed = template.split(/\$\{[^}]*\}/);
    return fixed.join('').trim().length >= 10 && new RegExp(`^${fixed.map(escapeRegExp).join('.+')}$`).test(title);
  });
}
