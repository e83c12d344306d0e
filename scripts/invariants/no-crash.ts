import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I9, of programs. None ends by itself, whatever is broken around it. */
export const noCrash: Invariant = {
  id: 'I9',
  says: 'no program ends by itself',
  evidence: ['online'],
  check: (history) => recordsOf(history, 'crashed').map(({ of, how }) => `${of} ended: ${how}`),
};
