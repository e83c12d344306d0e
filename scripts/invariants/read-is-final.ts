import { forgottenTasks } from './delivered-rows.js';
import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** Ends of a task that lacks its node; a real result may come after them. */
const givenUp = new Set(['node_lost', 'timeout']);

/** I1, of readers. A result that somebody has read stays what it is. */
export const readIsFinal: Invariant = {
  id: 'I1',
  says: 'a result that was read does not change',
  evidence: ['read'],
  check: (history) => {
    const tasks = new Map(recordsOf(history, 'task').map((task) => [task.subject, task]));
    const forgotten = forgottenTasks(history);
    return recordsOf(history, 'read')
      .filter(({ subject, outcome }) => !givenUp.has(outcome) && !forgotten.has(subject))
      .filter(({ subject, outcome }) => tasks.has(subject) && tasks.get(subject)?.outcome !== outcome)
      .map(({ subject, outcome }) => `${subject} was read as "${outcome}" and is now "${tasks.get(subject)?.outcome}"`);
  },
};
