import { commitSignal } from '../db/commit-signal.js';

/** Events that were published together. */
export interface Published {
  readonly kinds: readonly string[];
  readonly ownerIds: readonly string[];
}

/** Kinds and owners of events, as soon as these are committed. */
export const published = commitSignal<Published>('onPublished');
