import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import type { DerivedPlace } from '../../geo/index.js';
import type { DeclaredPlace, LocationSource } from './place.js';

/** Whether a node can be given work, as everybody sees it (API specification 2.10, 4.3). */
export const nodeStatuses = ['online', 'offline', 'draining', 'banned'] as const;
export type NodeStatus = (typeof nodeStatuses)[number];

/** A node's newest self-test as it is stored and shown. */
export interface NodeSelfTest {
  /** ISO 8601, the node's own clock. */
  readonly finished_at: string;
  readonly checks: readonly SelfTestCheck[];
}

/** A hello without a common protocol version, as it is stored and shown; nobody has proved it. */
export interface VersionRefused {
  readonly asked: readonly number[];
  readonly agent_version: string;
  /** ISO 8601, of the database. */
  readonly at: string;
}

/** How far an upgrade is. `requested`: its node has not answered yet; `done`: it connected with that version. */
export const upgradeStates = ['requested', 'running', 'done', 'failed'] as const;

/** The newest upgrade a node was asked for. */
export interface NodeUpgrade {
  readonly version: string;
  readonly state: (typeof upgradeStates)[number];
  /** Why it failed, one sentence; null: it did not. */
  readonly error: string | null;
  /** In whole milliseconds: it also tells requests apart. */
  readonly requestedAt: Date;
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
  readonly declaredPlace: DeclaredPlace;
  /** What its address says; null: nothing. */
  readonly derivedPlace: DerivedPlace | null;
  readonly locationSource: LocationSource;
  /** Its address contradicts what it declares, and no admin has confirmed that. */
  readonly hasGeoMismatch: boolean;
  /** 0 to 100; null until it is measured for the first time. */
  readonly uptimePercent30d: number | null;
  readonly tags: readonly string[];
  readonly capabilities: readonly string[];
  /** What it last found when it checked itself; null before the first time. */
  readonly selfTest: NodeSelfTest | null;
  readonly enrolledAt: Date;
  /** Null while no replica holds its link. */
  readonly sessionId: string | null;
  readonly replicaId: string | null;
  /** Since when it has no link; null: it has one, or never had. */
  readonly leftAt: Date | null;
  readonly isBanned: boolean;
  /** Banned by the program itself: a copy of its state directory connected. */
  readonly isQuarantined: boolean;
  readonly banReason: string | null;
  /** Since when it is banned or quarantined; null: it is neither. */
  readonly bannedAt: Date | null;
  /** Taken away by its owner. */
  readonly isDeleted: boolean;
  /** When another key was asked for that the node has not shown yet. */
  readonly rotationRequestedAt: Date | null;
  /** What somebody who named it spoke, and no version of ours; null: since its last link nobody. */
  readonly versionRefused: VersionRefused | null;
  /** Null: it was never asked to upgrade. */
  readonly upgrade: NodeUpgrade | null;
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
