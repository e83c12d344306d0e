import type { Check, Finding } from './check.js';
import { maskCode } from './masked-code.js';
import { unpreparedStatements } from './prepared-list.js';
import { isTestCode, readSourceFiles, type SourceFile } from './source-files.js';

const LIST = 'scripts/check/prepared-list.ts';

/** A raw statement of knex, or one that it builds from the name of a table. */
const unprepared = /\.raw\s*[<(]|\b(?:db|trx)\s*(?:<[\w\s{}:;[\]|.]*>\s*)?\(\s*['"`]/g;

/** Stores have no more statements without a name than before. */
export const prepared: Check = {
  name: 'prepared',
  title: 'statements of stores are prepared: none is added that is planned at every request',
  async run(root) {
    return judgeStatements(readSourceFiles(root), unpreparedStatements);
  },
};

/** Stores with more unprepared statements than the list allows, and entries of the list that allow more than there are. */
export function judgeStatements(
  files: readonly SourceFile[],
  allowed: Readonly<Record<string, number>>,
): readonly Finding[] {
  const counts = new Map(files.filter(({ path }) => isStore(path)).map((file) => [file.path, countUnprepared(file)]));
  const added = [...counts].flatMap(([path, count]) => {
    const most = allowed[path] ?? 0;
    if (count <= most) return [];
    return [
      `${path}: ${count} unprepared statements, at most ${most}: use queryNamed of db/named.ts or queryPrepared of db/prepared.ts with a name of its own, bound values and named columns`,
    ];
  });
  const spare = Object.entries(allowed).flatMap(([path, most]) => {
    const count = counts.get(path) ?? 0;
    return count < most ? [`${LIST}: ${path} has ${count} unprepared statements: lower its number from ${most}`] : [];
  });
  return [...added, ...spare];
}

function isStore(path: string): boolean {
  return /^control-plane\/src\/(?:.*[/-])?store\.ts$/.test(path) && !isTestCode(path);
}

function countUnprepared({ text }: SourceFile): number {
  return [...maskCode(text).matchAll(unprepared)].length;
}
