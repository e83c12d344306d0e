import { findImports } from './imports.js';
import type { SourceFile } from './source-files.js';

/** An import of another file of the project. */
export interface Edge {
  readonly target: string;
  /** True for an import of types only: the file runs without the other. */
  readonly isType: boolean;
}

/** The imports of every file, by path. */
export type ImportGraph = ReadonlyMap<string, readonly Edge[]>;

/** The graph of these files; imports of anything else are left out. */
export function importGraph(files: readonly SourceFile[]): ImportGraph {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(
    files.map((file) => [
      file.path,
      findImports(file).flatMap(({ target, isType }) =>
        target !== null && paths.has(target) ? [{ target, isType }] : [],
      ),
    ]),
  );
}

/** Edges that a search follows, and its goal. */
export interface Search {
  isGoal(path: string): boolean;
  follows(edge: Edge): boolean;
}

/** The shortest way along imports from a file to a goal, both ends included; null: there is none. */
export function findWay(graph: ImportGraph, start: string, { isGoal, follows }: Search): string[] | null {
  const cameFrom = new Map<string, string | null>([[start, null]]);
  const queue = [start];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const edge of graph.get(path) ?? []) {
      if (!follows(edge)) continue;
      if (isGoal(edge.target)) return [...wayTo(path, cameFrom), edge.target];
      if (cameFrom.has(edge.target)) continue;
      cameFrom.set(edge.target, path);
      queue.push(edge.target);
    }
  }
  return null;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const before = cameFrom.get(end) ?? null;
  return before === null ? [end] : [...wayTo(before, cameFrom), end];
}
