import type { AssignmentKey } from '@vantage/shared/monitor-types/assignments-digest.js';

/** Assignment of a node. */
export interface AssignedWork extends AssignmentKey {
  /** UTF-8 JSON of an AssignmentSpec. */
  readonly specJson: Uint8Array;
}

/** All assignments of a node without their specifications. */
export interface AssignedKeys {
  /** `hasSecrets`: some nodes may not have the assignment. */
  readonly keys: readonly (AssignmentKey & { readonly hasSecrets: boolean })[];
  /** Sum of `keyHash` over the keys. */
  readonly sum: number;
}

/** Reads the assignments of nodes. */
export interface AssignedReads {
  readonly keys: (nodeId: string) => Promise<AssignedKeys>;
  /** Sum of `keyHash` over the assignments of a node: the database reads them, this process does not. */
  readonly sum: (nodeId: string) => Promise<number>;
  /** One assignment, without a specification if the node may not have its secrets; null if the node does not have the monitor. */
  readonly find: (
    nodeId: string,
    monitorId: string,
  ) => Promise<{ readonly generation: number; readonly specJson: Uint8Array | null } | null>;
}
