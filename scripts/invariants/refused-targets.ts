import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I11. No agent sends a packet to a range that is refused. */
export const refusedTargets: Invariant = {
  id: 'I11',
  says: 'no packet goes to a refused range',
  evidence: ['packet', 'tempted'],
  check: (history) =>
    recordsOf(history, 'packet')
      .filter(({ isRefused }) => isRefused)
      .map(({ nodeId, to }) => `${nodeId} sent a packet to ${to}, which is refused`),
};
