import { queueAlertsOf } from '../events/due-store.js';
import type { LookAgain } from '../policies/look-again.js';

/** Has alerts looked at again, in the next second, after a change of what decides about them. */
export const lookAgain: LookAgain = { queue: (trx, ownerId) => queueAlertsOf(trx, [ownerId]) };
