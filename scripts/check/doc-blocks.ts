import type { ListContent } from './code-lists.js';

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
