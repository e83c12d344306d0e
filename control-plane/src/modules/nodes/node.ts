import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import type { DerivedPlace } from '../../geo/index.js';
import type { Viewer } from '../../http/viewer.js';
import type { DeclaredPlace, LocationSource } from './place/place.js';

/**
 * Statuses of a node in the API (API specification 2.10, 4.3); `banned` is shown to its owner and to admins only. Only online
 * nodes are given new work.
 */
export const nodeStatuses = ['online', 'offline', 'draining', 'banned'] as const;
export type NodeStatus = (typeof nodeStatuses)[number];

/** Newest self-test of a node, as stored and shown. */
export interface NodeSelfTest {
  /** ISO 8601, by the clock of the node. */
  readonly finished_at: string;
  readonly checks: readonly SelfTestCheck[];
}

/** A hello without a common protocol version, as stored and shown. Its sender is not authenticated. */
export interface VersionRefused {
  readonly asked: readonly number[];
  readonly agent_version: string;
  /** ISO 8601, by the clock of the database. */
  readonly at: string;
}

/** States of an upgrade. `requested`: the node has not replied yet; `done`: it connected with that version. */
export const upgradeStates = ['requested', 'running', 'done', 'failed'] as const;

/** Newest upgrade that was requested of a node. */
export interface NodeUpgrade {
  readonly version: string;
  readonly state: (typeof upgradeStates)[number];
  /** Reason of the failure, one sentence; null if it has not failed. */
  readonly error: string | null;
  /** In whole milliseconds; also identifies the request. */
  readonly requestedAt: Date;
}

/** Place, capabilities and state of a node, without its addresses and versions. */
export interface Node {
  readonly id: string;
  readonly ownerId: string;
  /** True if its owner is an administrator whose account is neither disabled nor deleted. */
  readonly isOwnerAdmin: boolean;
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
  /** Place that is derived from its address; null if unknown. */
  readonly derivedPlace: DerivedPlace | null;
  readonly locationSource: LocationSource;
  /** True if its address contradicts the declared place, and no admin has confirmed that place. */
  readonly hasGeoMismatch: boolean;
  /** In percent, 0 to 100; null before the first measurement. */
  readonly uptimePercent30d: number | null;
  readonly tags: readonly string[];
  readonly capabilities: readonly string[];
  /** Newest self-test; null before the first one. */
  readonly selfTest: NodeSelfTest | null;
  readonly enrolledAt: Date;
  /** Id of its session (one link from welcome to close); null while no replica holds its link. */
  readonly sessionId: string | null;
  readonly replicaId: string | null;
  /** Time when its link closed; null if it has a link, or never had one. */
  readonly leftAt: Date | null;
  readonly isBanned: boolean;
  /** True if it was banned automatically, because a copy of its state directory connected. */
  readonly isQuarantined: boolean;
  readonly banReason: string | null;
  /** Time of its ban or quarantine, or null. */
  readonly bannedAt: Date | null;
  /** True if its owner deleted it. */
  readonly isDeleted: boolean;
  /** Time when a new key was requested that the node has not presented yet; null if none is requested. */
  readonly rotationRequestedAt: Date | null;
  /** Newest hello in its name without a common protocol version; null if there was none since its last link. */
  readonly versionRefused: VersionRefused | null;
  /** Null if no upgrade was requested. */
  readonly upgrade: NodeUpgrade | null;
  readonly isDraining: boolean;
  readonly updatedAt: Date;
  /** Increases with every change; of two copies, the one with the greater revision is newer. */
  readonly revision: number;
}

/** Status of a node: a ban takes precedence over a closed link, and that over a drain. */
export function statusOf(node: Node): NodeStatus {
  if (node.isBanned) return 'banned';
  if (node.sessionId === null) return 'offline';
  return node.isDraining ? 'draining' : 'online';
}

/** True if the node is public, the viewer's own, or the viewer is an admin. Ignores bans. */
export function isVisibleTo(node: Node, viewer: Viewer): boolean {
  return node.isPublic || viewer.isAdmin || (viewer.ownerId !== null && viewer.ownerId === node.ownerId);
}
