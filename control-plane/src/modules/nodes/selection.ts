import type { Capability } from '@vantage/shared/probe-types/definition.js';
import type { Static } from 'typebox';
import type { Viewer } from '../../http/viewer.js';
import { isVisibleTo, type Node } from './node.js';
import type { NodeSelectionSchema } from './schema.js';

/**
 * Selection of nodes (API specification 2.2, 2.7). A node must match every filter; a filter with several values matches if one
 * of them does.
 */
export type NodeSelection = Static<typeof NodeSelectionSchema>;

/** Demands of a caller on the nodes that work for it. */
interface Demands {
  readonly viewer: Viewer;
  readonly selection: NodeSelection;
  /** Capability that the work needs, or null. */
  readonly capability: Capability | null;
  /** IP family that the work needs; null for either. */
  readonly family: 4 | 6 | null;
}

/** Returns a predicate that is true for nodes that meet all demands, whatever their status. The selection is prepared only once. */
export function suitableFor({ viewer, selection, capability, family }: Demands): (node: Node) => boolean {
  const matches = matcherOf(selection);
  return (node) =>
    isVisibleTo(node, viewer) &&
    (selection.owned !== true || node.ownerId === viewer.ownerId) &&
    matches(node) &&
    (capability === null || node.capabilities.includes(capability)) &&
    (family === null || !lacksFamily(node, family));
}

/**
 * Name of the group that a node is in when a selection is spread, by default its network (ASN). With `none`, or if its value is
 * unknown, each node is a group of its own.
 */
export function spreadGroup(node: Node, spread: NodeSelection['spread'] = 'asn'): string {
  const group = { none: null, asn: node.asn, country: node.country, region: node.region }[spread];
  return String(group ?? node.id);
}

/** Returns a predicate that is true for nodes that match every field of a selection except `owned`, `limit` and `spread`. */
export function matcherOf(selection: NodeSelection): (node: Node) => boolean {
  const { node_ids, exclude_node_ids, countries, regions, provinces, cities, providers, asns, tags } = selection;
  const lower = (texts: readonly string[] | undefined) => texts && new Set(texts.map((text) => text.toLowerCase()));
  const excluded = new Set(exclude_node_ids);
  const named = node_ids && new Set(node_ids);
  const numbers = asns && new Set(asns);
  const [wantedTags, ...wanted] = [tags, countries, regions, provinces, cities, providers].map(lower);
  return (node) => {
    if (excluded.has(node.id) || named?.has(node.id) === false) return false;
    if (numbers !== undefined && (node.asn === null || !numbers.has(node.asn))) return false;
    const places = [node.country, node.region, node.province, node.city, node.provider];
    const isThere = wanted.every((one, field) => one === undefined || isAmong(places[field], one));
    return isThere && (wantedTags === undefined || node.tags.some((tag) => wantedTags.has(tag)));
  };
}

function isAmong(value: string | null | undefined, wanted: ReadonlySet<string>): boolean {
  return typeof value === 'string' && wanted.has(value.toLowerCase());
}

/** True if the self-test found that the node can't reach the internet over an IP family; false if it can, or this is unknown. */
function lacksFamily(node: Node, family: 4 | 6): boolean {
  const check = node.selfTest?.checks.find(({ name }) => name === `ipv${family}`);
  return check?.status === 'failed';
}
