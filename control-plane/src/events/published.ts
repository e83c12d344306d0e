import { commitSignal } from '../db/commit-signal.js';

/** Kinds of events that were published, as soon as they are committed. */
export const published = commitSignal<string>('onPublished');
