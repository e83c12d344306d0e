import { acknowledgedRows, forgottenTasks, gapFinder, lossFinder, nonsenseSubjects } from './delivered-rows.js';
import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/**
 * I1. A row that was acknowledged is in the database at the end. Excused is only what the design excuses: a result whose
 * task a rolled back database has forgotten, numbers declared as dropped, and what database and spool lost both.
 */
export const acknowledgedIsStored: Invariant = {
  id: 'I1',
  says: 'acknowledged results are in the database',
  evidence: ['acknowledged'],
  check: (history) => {
    const kept = new Set(recordsOf(history, 'kept').map(({ subject }) => subject));
    const excused = new Set([...forgottenTasks(history), ...nonsenseSubjects(history)]);
    const isGap = gapFinder(history);
    const isLostTwice = lossFinder(history);
    return acknowledgedRows(history)
      .filter((row) => !kept.has(row.subject) && !excused.has(row.subject) && !isGap(row) && !isLostTwice(row))
      .map(({ subject, nodeId, sequence, since, at }) => {
        const times = `sent ${new Date(since).toISOString()}, acknowledged ${new Date(at).toISOString()}`;
        return `${subject} (${nodeId}, ${sequence}) was acknowledged and is not stored: ${times}`;
      });
  },
};
