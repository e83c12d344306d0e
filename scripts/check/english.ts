import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { judgePhrases, judgeSource } from './english-rules.js';
import { listProjectFiles } from './project-files.js';
import { readSourceFiles } from './source-files.js';
import { readWordLists } from './word-lists.js';

const STYLE = 'docs/style.md';

/** Files and folders whose English the check does not judge, each with the reason. An entry that matches nothing fails. */
const notHeld: readonly { readonly path: string; readonly reason: string }[] = [
  { path: STYLE, reason: 'it quotes what it refuses' },
];

/** Applies the word lists of docs/style.md to source files and documents. */
export const english: Check = {
  name: 'english',
  title: 'docstrings, log messages and documents follow docs/style.md',
  run: async (root) => {
    const read = (path: string) => readFileSync(join(root, path), 'utf8');
    const words = readWordLists(read(STYLE));
    const sources = readSourceFiles(root);
    const documents = listProjectFiles(root)
      .filter((path) => path.endsWith('.md'))
      .map((path) => ({ path, text: read(path) }));
    return [
      ...staleEntries([...sources, ...documents].map(({ path }) => path)),
      ...sources.filter(isHeld).flatMap((file) => judgeSource(file, words)),
      ...documents.filter(isHeld).flatMap((file) => judgePhrases(file, words)),
    ];
  },
};

function isHeld({ path }: { readonly path: string }): boolean {
  return !notHeld.some((entry) => path.startsWith(entry.path));
}

function staleEntries(paths: readonly string[]): Finding[] {
  return notHeld
    .filter((entry) => !paths.some((path) => path.startsWith(entry.path)))
    .map(({ path }) => `scripts/check/english.ts: "${path}" is not held and does not exist`);
}
