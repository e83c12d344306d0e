import type { LineCounts } from './list-reader.js';

/** Reasons for which a new version of a list is not used until an administrator accepts it. */
export const refusals = ['unreadable', 'shrunk', 'empty'] as const;
export type Refusal = (typeof refusals)[number];

/** Greatest share of unreadable lines. */
const MAX_UNREADABLE = 0.01;
/** Smallest share of the entries of the version before. */
const MIN_LEFT = 0.5;

/**
 * Reason to refuse a version; null if it may be used. `before` is the number of entries of the version in use, null
 * without one.
 */
export function refusalOf(
  { lines, unreadable, entries }: LineCounts & { readonly entries: number },
  before: number | null,
): Refusal | null {
  if (unreadable > lines * MAX_UNREADABLE) return 'unreadable';
  if (before !== null && entries < before * MIN_LEFT) return 'shrunk';
  return entries === 0 ? 'empty' : null;
}
