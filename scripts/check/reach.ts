import type { Finding } from './check.js';
import { findWay, type ImportGraph, importGraph } from './import-graph.js';
import type { ReachRule } from './reach-rules.js';
import { isTestCode, type SourceFile } from './source-files.js';

/** Ways along imports that a rule forbids. */
export function judgeReach(files: readonly SourceFile[], rules: readonly ReachRule[]): Finding[] {
  const graph = importGraph(files.filter(({ path }) => !isTestCode(path)));
  return rules.flatMap((rule) => judgeRule(graph, rule));
}

function judgeRule(graph: ImportGraph, { name, says, from, to, by }: ReachRule): Finding[] {
  return [...graph.keys()]
    .filter((path) => from.test(path))
    .flatMap((path) => {
      const way = findWay(graph, path, {
        isGoal: (target) => to.test(target),
        follows: ({ isType }) => by === 'knows' || !isType,
      });
      return way === null ? [] : [`${path}: ${says}: ${way.join(' > ')} (${name})`];
    });
}
