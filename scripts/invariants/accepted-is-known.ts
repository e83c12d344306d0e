import { forgottenTasks } from './delivered-rows.js';
import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I1, of tasks. What was accepted is known at the end, but for what a rolled back database has forgotten. */
export const acceptedIsKnown: Invariant = {
  id: 'I1',
  says: 'a task that was accepted is known',
  evidence: ['accepted'],
  check: (history) => {
    const known = new Set(recordsOf(history, 'task').map(({ subject }) => subject));
    const forgotten = forgottenTasks(history);
    return recordsOf(history, 'accepted')
      .filter(({ subject }) => !known.has(subject) && !forgotten.has(subject))
      .map(({ subject }) => `${subject} was accepted and is unknown`);
  },
};
