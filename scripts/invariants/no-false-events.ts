import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I3, of what checks come to. What was there all the time never was down, whatever broke around it. */
export const noFalseEvents: Invariant = {
  id: 'I3',
  says: 'a target that was always available has no event',
  evidence: ['slots'],
  check: (history) =>
    recordsOf(history, 'event').map(({ monitorId, startedAt, endedAt, what }) => {
      const until = endedAt === null ? 'and is open' : `to ${new Date(endedAt).toISOString()}`;
      return `an event of ${monitorId}, which was always available, is from ${new Date(startedAt).toISOString()} ${until} (${what})`;
    }),
};
