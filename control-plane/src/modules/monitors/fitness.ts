import { type MonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import { isVisibleTo, lacksFamily, matches, type Node, type NodeSelection, type Viewer } from '../nodes/index.js';
import type { Candidate } from './placement.js';

/** A node that has no link for so long has its monitors checked by others. */
export const OFFLINE_MS = 5 * 60_000;

/** What decides which nodes may check a monitor. */
export interface Wanted {
  readonly type: MonitorType;
  readonly selection: NodeSelection;
  readonly owner: Viewer;
  /** Address family that the target can't do without; null: either will do. */
  readonly family: 4 | 6 | null;
}

/** Whether a node may check a monitor at all, linked or not. */
export function isFit(node: Node, { type, selection, owner, family }: Wanted): boolean {
  const { capability } = monitorTypeOf(type);
  return (
    !node.isBanned &&
    !node.isDraining &&
    isVisibleTo(node, owner) &&
    (selection.owned !== true || node.ownerId === owner.userId) &&
    matches(node, selection) &&
    (capability === null || node.capabilities.includes(capability)) &&
    (family === null || !lacksFamily(node, family))
  );
}

/** Whether a node is there, or was until a moment ago. `leftAt`: since when it has no link. */
export function isPresent({ sessionId, leftAt }: Pick<Node, 'sessionId' | 'leftAt'>, nowMs: number): boolean {
  return sessionId !== null || (leftAt !== null && nowMs - leftAt.getTime() < OFFLINE_MS);
}

/** A fit node as placement sees it; `load`: checks a second it has to make. */
export function toCandidate(node: Node, spread: NodeSelection['spread'], load: number): Candidate {
  return { id: node.id, group: groupOf(node, spread ?? 'asn'), room: 1 / (1 + load) };
}

/** A node whose value is unknown is a group of its own. */
function groupOf(node: Node, spread: NonNullable<NodeSelection['spread']>): string {
  const group = { none: null, asn: node.asn, country: node.country, region: node.region }[spread];
  return String(group ?? node.id);
}
