/** Requested upgrade of a node, as its record has it. */
export interface WishedUpgrade {
  readonly version: string;
  readonly state: 'requested' | 'running' | 'done' | 'failed';
  readonly requestedAt: Date;
}

/** Fields of a node's record that fencing needs. */
export interface NodeFacts {
  readonly id: string;
  readonly sessionId: string | null;
  readonly isBanned: boolean;
  readonly isDeleted: boolean;
  /** Time when a change of the node's key was requested; null if none was, or it is done. */
  readonly rotationRequestedAt: Date | null;
  readonly upgrade: WishedUpgrade | null;
  readonly revision: number;
}

/** Source of the newest known record of a node, and of its changes. */
export interface NodeFactsSource {
  find(id: string): NodeFacts | null;
  onChange(listener: (node: NodeFacts) => void): void;
}
