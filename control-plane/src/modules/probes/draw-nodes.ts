import { type Node, type NodeSelection, spreadGroup } from '../nodes/index.js';

/** Number of nodes if the selection has no limit. */
export const DEFAULT_NODE_LIMIT = 3;

interface Draw {
  /** Online nodes that match the selection and can run the probe. */
  readonly candidates: readonly Node[];
  readonly selection: Pick<NodeSelection, 'limit' | 'spread'>;
  /** Number of probes in flight on a node: busy nodes are chosen less often. */
  readonly loadOf: (node: Node) => number;
  /** 0 <= random < 1. */
  readonly random: () => number;
}

/**
 * Draws at most `limit` nodes: one of each spread group in turn, with groups and nodes in random order weighted against
 * busy nodes. The spread is a preference and never lowers the number of nodes.
 */
export function drawNodes({ candidates, selection, loadOf, random }: Draw): Node[] {
  const groups = new Map<string, Node[]>();
  for (const node of shuffleByLoad(candidates, loadOf, random)) {
    const key = spreadGroup(node, selection.spread);
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return takeInTurns([...groups.values()], selection.limit ?? DEFAULT_NODE_LIMIT);
}

/** Weighted random order (Efraimidis and Spirakis 2006): weight 1 / (1 + load). */
function shuffleByLoad(nodes: readonly Node[], loadOf: (node: Node) => number, random: () => number): Node[] {
  return nodes
    .map((node) => ({ node, rank: random() ** (1 + loadOf(node)) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ node }) => node);
}

function takeInTurns(groups: readonly Node[][], limit: number): Node[] {
  const taken: Node[] = [];
  for (let turn = 0; taken.length < limit; turn += 1) {
    const before = taken.length;
    for (const group of groups) {
      const node = group[turn];
      if (node && taken.length < limit) taken.push(node);
    }
    if (taken.length === before) break;
  }
  return taken;
}
