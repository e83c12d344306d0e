import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { type CodeList, codeLists, readCodeList } from './code-lists.js';
import { compareBlock, type DocBlock, fillDocBlocks, findDocBlocks } from './doc-blocks.js';
import { listProjectFiles } from './project-files.js';

/** Compares the lists in documents with those in the code. */
export const docs: Check = {
  name: 'docs',
  title: 'marked lists in documents equal the lists in the code',
  run: async (root) => {
    const blocks = readDocuments(root).flatMap(({ path, text }) =>
      findDocBlocks(text).map((found) => ({ path, ...found })),
    );
    const known = new Set(codeLists.map(({ name }) => name));
    const strangers = blocks
      .filter(({ name }) => !known.has(name))
      .map(({ path, line, name }) => `${path}:${line}: no list "${name}" in scripts/check/code-lists.ts`);
    const judged = await Promise.all(
      codeLists.map((list) =>
        judgeList(
          root,
          list,
          blocks.filter(({ name }) => name === list.name),
        ),
      ),
    );
    return [...strangers, ...judged.flat()];
  },
};

/** Writes the lists that the code has as tables into the documents that mark them. @returns the documents it changed */
export async function writeDocLists(root: string): Promise<string[]> {
  const tables = new Map<string, string>();
  for (const list of codeLists) {
    const content = await readCodeList(root, list);
    if ('table' in content) tables.set(list.name, content.table);
  }
  return readDocuments(root).flatMap(({ path, text }) => {
    const filled = fillDocBlocks(text, tables);
    if (filled === text) return [];
    writeFileSync(join(root, path), filled);
    return [path];
  });
}

function readDocuments(root: string): { path: string; text: string }[] {
  return listProjectFiles(root)
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

async function judgeList(
  root: string,
  list: CodeList,
  blocks: readonly ({ path: string } & DocBlock)[],
): Promise<Finding[]> {
  const content = await readCodeList(root, list);
  if (blocks.length === 0) {
    return [`list "${list.name}" is in no document: mark it with <!-- list:${list.name} --> and <!-- /list -->`];
  }
  return blocks.flatMap(({ path, line, body }) => {
    const difference = compareBlock(body, content);
    return difference === null ? [] : [`${path}:${line}: list "${list.name}" ${difference}`];
  });
}
