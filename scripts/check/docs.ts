import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { compareBlock, fillDocBlocks, findDocBlocks } from './doc-blocks.js';
import { listProjectFiles } from './project-files.js';

/** Compares the lists in documents with those in the code. */
export const docs: Check = {
  name: 'docs',
  title: 'marked lists in documents equal the lists in the code',
  run: async (root) => {
    const lists = await readLists(root);
    const blocks = readDocuments(root).flatMap(({ path, text }) =>
      findDocBlocks(text).map((found) => ({ path, ...found })),
    );
    const unmarked = [...lists.keys()].filter((name) => !blocks.some((block) => block.name === name));
    return [
      ...unmarked.map(
        (name) => `list "${name}" is in no document: mark it with <!-- list:${name} --> and <!-- /list -->`,
      ),
      ...blocks.flatMap(({ path, line, name, body }): Finding[] => {
        const content = lists.get(name);
        if (content === undefined) return [`${path}:${line}: no list "${name}" in scripts/check/code-lists.ts`];
        const difference = compareBlock(body, content);
        return difference === null ? [] : [`${path}:${line}: list "${name}" ${difference}`];
      }),
    ];
  },
};

/** Reads the lists from the compiled programs, which are loaded only then: other checks run without them. */
async function readLists(root: string) {
  const { codeLists } = await import('./code-lists.js');
  return codeLists(root);
}

/** Writes the lists that the code has as tables into the documents that mark them. @returns the documents it changed */
export async function writeDocLists(root: string): Promise<string[]> {
  const tables = new Map<string, string>();
  for (const [name, content] of await readLists(root)) if ('table' in content) tables.set(name, content.table);
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
