import type { Finding } from './check.js';
import { findImports, type Import } from './imports.js';
import { isTestCode, type SourceFile } from './source-files.js';

/** Files that must not come to other files, however many imports lie between. Code of tests is not judged. */
export interface ReachRule {
  readonly name: string;
  readonly says: string;
  readonly from: RegExp;
  readonly to: RegExp;
  /** `runs`: by what is there when the program runs; `knows`: by types too. */
  readonly by: 'runs' | 'knows';
}

export const reachRules: readonly ReachRule[] = [
  {
    name: 'links-never-reach-http',
    says: 'links/ and ingest/ know no HTTP, nor does anything they import',
    from: /^control-plane\/src\/(?:links|ingest)\//,
    to: /^control-plane\/src\/http\//,
    by: 'knows',
  },
  {
    name: 'storage-is-below',
    says: 'db/ and bus/ run without http/, modules/, links/ and ingest/',
    from: /^control-plane\/src\/(?:db|bus)\//,
    to: /^control-plane\/src\/(?:http|modules|links|ingest)\//,
    by: 'runs',
  },
  {
    name: 'modules-are-above',
    says: 'what all modules stand on runs without any of them',
    from: /^control-plane\/src\/(?:audit-log|config|crypto|events|jobs|limits|mail|owners|plans)\//,
    to: /^control-plane\/src\/modules\//,
    by: 'runs',
  },
  {
    name: 'nothing-measures-here',
    says: 'link/ and spool/ of the agent run without anything that measures: probes run in another process',
    from: /^agent\/src\/(?:link|spool)\//,
    to: /^agent\/src\/(?:probes\/|net\/(?!abortable\.ts$)|measuring\/(?:runner|local-runner|local-room)\.ts$)/,
    by: 'runs',
  },
  {
    name: 'checkers-stand-apart',
    says: 'checkers of invariants share no code with the programs they judge',
    from: /^scripts\/invariants\//,
    to: /^(?:agent|control-plane)\//,
    by: 'knows',
  },
];

/** The imports of every file, by path; those of packages are left out. */
type ImportGraph = ReadonlyMap<string, readonly Import[]>;

/** Ways along imports that a rule forbids. */
export function judgeReach(files: readonly SourceFile[], rules: readonly ReachRule[]): Finding[] {
  const graph = new Map(files.filter(({ path }) => !isTestCode(path)).map((file) => [file.path, findImports(file)]));
  return rules.flatMap((rule) =>
    [...graph.keys()]
      .filter((path) => rule.from.test(path))
      .flatMap((path) => {
        const way = findWay(graph, path, rule);
        return way === null ? [] : [`${path}: ${rule.says}: ${way.join(' > ')} (${rule.name})`];
      }),
  );
}

/** The shortest way along imports from a file to one that the rule keeps apart, both ends included; null if there is none. */
function findWay(graph: ImportGraph, start: string, { to, by }: ReachRule): string[] | null {
  const ways = new Map([[start, [start]]]);
  // a map is read in the order of its entries, those that are added meanwhile included
  for (const [path, way] of ways) {
    for (const { target, isType } of graph.get(path) ?? []) {
      if (target === null || !graph.has(target) || (by === 'runs' && isType)) continue;
      if (to.test(target)) return [...way, target];
      if (!ways.has(target)) ways.set(target, [...way, target]);
    }
  }
  return null;
}
