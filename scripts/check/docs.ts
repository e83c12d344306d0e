import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import type { ListContent } from './code-lists.js';
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

/** A marked list in a document. */
export interface DocBlock {
  /** The name in `<!-- list:NAME -->`; the mark stands on a line of its own. */
  readonly name: string;
  /** Line of the mark, from 1. */
  readonly line: number;
  /** Text between the marks, trimmed. */
  readonly body: string;
}

const block = /^(<!-- list:([\w-]+) -->)$([^]*?)^(<!-- \/list -->)$/gm;

/** The marked lists of a Markdown document. */
export function findDocBlocks(text: string): DocBlock[] {
  return [...text.matchAll(block)].map((match) => ({
    name: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
    body: (match[3] ?? '').trim(),
  }));
}

/** The document with each list that has a table in `tables` (by name) holding that table. */
export function fillDocBlocks(text: string, tables: ReadonlyMap<string, string>): string {
  return text.replace(block, (whole, open: string, name: string, _body: string, close: string) => {
    const table = tables.get(name);
    return table === undefined ? whole : `${open}\n\n${table}\n\n${close}`;
  });
}

/** Difference between a block and the code's list, in one line; null when there is none. */
export function compareBlock(body: string, content: ListContent): string | null {
  if ('table' in content) return body === content.table ? null : 'differs from the table in the code: npm run format';
  const documented = body.split('\n').flatMap((row) => /^\s*[|*-]\s*`([^`]+)`/.exec(row)?.[1] ?? []);
  const parts = [
    ['lacks', content.values.filter((value) => !documented.includes(value))],
    ['has entries that the code does not have:', documented.filter((value) => !content.values.includes(value))],
    ['repeats', documented.filter((value, index) => documented.indexOf(value) !== index)],
  ] as const;
  const said = parts.filter(([, values]) => values.length > 0).map(([verb, values]) => `${verb} ${values.join(', ')}`);
  return said.length === 0 ? null : said.join('; ');
}
