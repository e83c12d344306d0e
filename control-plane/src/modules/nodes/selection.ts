import type { Static } from 'typebox';
import type { Node } from './node.js';
import type { NodeSelectionSchema } from './schema.js';

/** Which nodes a caller wants (API specification 2.2, 2.7): fields AND together, values inside a field OR. */
export type NodeSelection = Static<typeof NodeSelectionSchema>;

/** Nodes used when the caller names no limit. */
export const DEFAULT_NODE_LIMIT = 3;

interface SelectionInput {
  /** Nodes that are online, visible to the caller and able to run the type. */
  readonly candidates: readonly Node[];
  readonly selection: NodeSelection;
  /** Probes in flight on a node: busy ones are drawn less often. */
  readonly loadOf: (node: Node) => number;
  /** 0 <= random < 1. */
  readonly random: () => number;
}

/**
 * Draws at most `limit` nodes: one of each spread group in turn, groups and nodes in random order weighted away from
 * busy ones. The spread is a preference and never lowers the count.
 */
export function selectNodes({ candidates, selection, loadOf, random }: SelectionInput): Node[] {
  const limit = selection.limit ?? DEFAULT_NODE_LIMIT;
  const eligible = candidates.filter((node) => matches(node, selection));
  const shuffled = shuffleByLoad(eligible, loadOf, random);
  const groups = new Map<string, Node[]>();
  for (const node of shuffled) {
    const key = spreadKey(node, selection.spread ?? 'asn');
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return takeInTurns([...groups.values()], limit);
}

/** Whether a node satisfies every field of a selection. */
export function matches(node: Node, selection: NodeSelection): boolean {
  if (selection.exclude_node_ids?.includes(node.id)) return false;
  if (selection.node_ids && !selection.node_ids.includes(node.id)) return false;
  return (
    isAmong(node.country, selection.countries, sameCase) &&
    isAmong(node.region, selection.regions, sameText) &&
    isAmong(node.province, selection.provinces, sameCase) &&
    isAmong(node.city, selection.cities, sameText) &&
    isAmong(node.provider, selection.providers, sameText) &&
    isAmong(node.asn, selection.asns, (a, b) => a === b) &&
    (selection.tags === undefined || selection.tags.some((tag) => node.tags.includes(tag.toLowerCase())))
  );
}

function isAmong<T>(value: T | null, wanted: readonly T[] | undefined, isSame: (a: T, b: T) => boolean): boolean {
  if (wanted === undefined) return true;
  return value !== null && wanted.some((candidate) => isSame(value, candidate));
}

const sameCase = (a: string, b: string) => a === b.toUpperCase();
const sameText = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** A node whose value is unknown is a group of its own. */
function spreadKey(node: Node, spread: NonNullable<NodeSelection['spread']>): string {
  switch (spread) {
    case 'none':
      return node.id;
    case 'asn':
      return node.asn === null ? node.id : String(node.asn);
    case 'country':
      return node.country ?? node.id;
    case 'region':
      return node.region ?? node.id;
  }
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
