import { createHash } from 'node:crypto';
import type { Capability } from '@vantage/shared/probe-types/definition.js';
import { type Node, type NodeSelection, statusOf, suitableFor } from '../nodes/index.js';

/** Nodes that lookups may use when the operator names none. */
const DEFAULT_TAG = 'lookup';

/** Rights of the service itself: it may use private nodes of administrators. */
const service = { ownerId: null, isAdmin: true, isTest: false };

interface Choice {
  readonly nodes: Iterable<Node>;
  /** Words of the operator, or null. */
  readonly selection: NodeSelection | null;
  readonly capability: Capability | null;
  /** Kind and key of the question: the same question goes to the same node while it is online. */
  readonly question: string;
}

/**
 * Online nodes for a question, best first, by rendezvous hash. Anyone can give a node of his own any tag and place: only nodes
 * of administrators are used, and nodes that the operator names by their ids. Pure.
 */
export function chooseNodes({ nodes, selection, capability, question }: Choice): Node[] {
  return lookupNodes(nodes, selection)
    .filter((node) => statusOf(node) === 'online')
    .filter(suitableFor({ viewer: service, selection: {}, capability, family: null }))
    .map((node) => ({ node, rank: rankOf(question, node.id) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ node }) => node);
}

/** True if a node may run lookups, online or not. */
export function hasLookupNodes(nodes: Iterable<Node>, selection: NodeSelection | null): boolean {
  return lookupNodes(nodes, selection).length > 0;
}

function lookupNodes(nodes: Iterable<Node>, selection: NodeSelection | null): Node[] {
  const trusted = [...nodes].filter((node) => isTrusted(node, selection));
  return trusted.filter(wantedAmong(trusted, selection));
}

function isTrusted({ id, isOwnerAdmin, isDeleted }: Node, selection: NodeSelection | null): boolean {
  return !isDeleted && (isOwnerAdmin || selection?.node_ids?.includes(id) === true);
}

function wantedAmong(trusted: readonly Node[], selection: NodeSelection | null): (node: Node) => boolean {
  const matches = (wanted: NodeSelection) =>
    suitableFor({ viewer: service, selection: wanted, capability: null, family: null });
  if (selection !== null) return matches(selection);
  const isTagged = matches({ tags: [DEFAULT_TAG] });
  return trusted.some(isTagged) ? isTagged : ({ isPublic }) => isPublic;
}

function rankOf(question: string, nodeId: string): string {
  return createHash('sha256').update(`${question} ${nodeId}`).digest('hex');
}
