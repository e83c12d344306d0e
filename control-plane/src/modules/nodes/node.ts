import type { SelfTestCheck } from '@vantage/shared/self-test.js';

/** Whether a node can be given work, as everybody sees it (API specification 2.10, 4.3). */
export const nodeStatuses = ['online', 'offline', 'draining', 'banned'] as const;
export type NodeStatus = (typeof nodeStatuses)[number];

/** A node's newest self-test as it is stored and shown. */
export interface NodeSelfTest {
  /** ISO 8601, the node's own clock. */
  readonly finished_at: string;
  readonly checks: readonly SelfTestCheck[];
}

/** Where a node stands and what it can do; addresses and versions stay in the database. */
export interface Node {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly isPublic: boolean;
  readonly country: string | null;
  readonly province: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly asn: number | null;
  readonly isp: string | null;
  readonly provider: string | null;
  readonly tags: readonly string[];
  readonly capabilities: readonly string[];
  /** What it last found when it checked itself; null before the first time. */
  readonly selfTest: NodeSelfTest | null;
  readonly enrolledAt: Date;
  /** Null while no replica holds its link. */
  readonly sessionId: string | null;
  readonly replicaId: string | null;
  readonly isBanned: boolean;
  readonly banReason: string | null;
  readonly isDraining: boolean;
  readonly updatedAt: Date;
  /** Grows with every change: the newer of two copies. */
  readonly revision: number;
}

/** Status in order of weight: a ban outweighs a drain, a drain an open link. */
export function statusOf(node: Node): NodeStatus {
  if (node.isBanned) return 'banned';
  if (node.sessionId === null) return 'offline';
  return node.isDraining ? 'draining' : 'online';
}

/** Who looks: private nodes are seen by their owner and by admins only. */
export interface Viewer {
  readonly userId: string | null;
  readonly isAdmin: boolean;
  /** Of probes it sees only those made with a test key. */
  readonly isTest: boolean;
}

/** Whether `viewer` may see and use the node. */
export function isVisibleTo(node: Node, viewer: Viewer): boolean {
  return node.isPublic || viewer.isAdmin || (viewer.userId !== null && viewer.userId === node.ownerId);
}

/** Whether the node found that it can't reach the world over a family; what it does not know is no reason to spare it. */
export function lacksFamily(node: Node, family: 4 | 6): boolean {
  const check = node.selfTest?.checks.find(({ name }) => name === `ipv${family}`);
  return check?.status === 'failed';
}
