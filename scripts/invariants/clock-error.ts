import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** Tolerated error of a clock beyond its own uncertainty, in milliseconds. */
const TOLERANCE_MS = 50;

/** I8. Server time on an agent is wrong by half a round trip and 50 ms at most; nothing takes less than no time. */
export const clockError: Invariant = {
  id: 'I8',
  says: 'the corrected time is right within half a round trip and 50 ms, no duration is negative',
  evidence: ['clock', 'produced'],
  check: (history) => [
    ...recordsOf(history, 'clock')
      .filter(({ errorMs, uncertaintyMs }) => uncertaintyMs >= 0 && Math.abs(errorMs) > uncertaintyMs + TOLERANCE_MS)
      .map(({ nodeId, errorMs, uncertaintyMs }) => `${nodeId} is ${errorMs} ms off and claims ${uncertaintyMs} ms`),
    ...recordsOf(history, 'produced')
      .filter(({ durationMs }) => durationMs < 0)
      .map(({ subject, durationMs }) => `${subject} took ${durationMs} ms`),
  ],
};
