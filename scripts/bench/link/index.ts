import { type ComparisonRequest, runComparisons } from '../comparisons.js';
import { agentMemory } from './agent-memory.js';
import { badPeer } from './bad-peer.js';
import type { LinkComparison } from './comparison.js';
import { firstRow } from './first-row.js';
import { flat } from './flat.js';
import { frames } from './frames.js';
import { idle } from './idle.js';
import { ingest } from './ingest.js';
import { spool } from './spool.js';
import { storm } from './storm.js';

/** The one list of linkComparisons. */
export const linkComparisons: readonly LinkComparison[] = [
  ingest,
  idle,
  frames,
  storm,
  firstRow,
  flat,
  spool,
  agentMemory,
  badPeer,
];

/** Measures each part of the node link beside its baseline; a table for each. */
export function benchLink(request: ComparisonRequest): Promise<void> {
  return runComparisons('link', linkComparisons, request);
}
