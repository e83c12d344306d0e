import type { Lane } from '@vantage/shared/protocol/codec.js';

/** Record of an open link as the database last confirmed it. */
export interface KnownLink {
  readonly nodeId: string;
  readonly generation: number;
  /** Epoch of the node's spool; `marks` has the highest stored number of each of its lanes. */
  readonly epoch: Buffer;
  readonly marks: Readonly<Record<Lane, number>>;
}

/** Record of a link as it is in the database; none for a node that the database does not have. */
export interface FoundLink {
  readonly nodeId: string;
  readonly generation: number;
  readonly marks: Readonly<Partial<Record<Lane, number>>>;
}
