import { type MonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import type { SecretReach } from '@vantage/shared/monitor-types/secrets.js';
import type { Viewer } from '../../../http/viewer.js';
import { type Node, type NodeSelection, spreadGroup, suitableFor } from '../../nodes/index.js';
import { isWithin } from '../definition/secret-reach.js';
import type { Candidate } from './choose-nodes.js';

/** Time without a link after which the monitors of a node are checked by others, in milliseconds. */
export const OFFLINE_MS = 5 * 60_000;

/** Requirements of a monitor for its nodes. */
export interface Wanted {
  readonly type: MonitorType;
  readonly selection: NodeSelection;
  readonly owner: Viewer;
  /** Address family that the target requires; null for either. */
  readonly family: 4 | 6 | null;
  /** Nodes that may get its secrets; null if it has none. */
  readonly secretReach: SecretReach | null;
}

/** Test for nodes that may check a monitor, linked or not. */
export function fitnessFor({ type, selection, owner, family, secretReach }: Wanted): (node: Node) => boolean {
  const { capability } = monitorTypeOf(type);
  const isSuitable = suitableFor({ viewer: owner, selection, capability, family });
  return (node) => !node.isBanned && !node.isDraining && isWithin(secretReach, node, owner.ownerId) && isSuitable(node);
}

/** True if a node is linked, or was until a moment ago. `leftAt`: time when its link ended. */
export function isPresent({ sessionId, leftAt }: Pick<Node, 'sessionId' | 'leftAt'>, nowMs: number): boolean {
  return sessionId !== null || (leftAt !== null && nowMs - leftAt.getTime() < OFFLINE_MS);
}

/** Candidate for placement from a fit node; `load`: checks per second that it has to make. */
export function toCandidate(node: Node, spread: NodeSelection['spread'], load: number): Candidate {
  return { id: node.id, group: spreadGroup(node, spread), room: 1 / (1 + load) };
}
