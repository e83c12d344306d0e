import { type History, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** Fewer samples than this have no 99th percentile to speak of. */
const LEAST_SAMPLES = 100;

/** I10. Beside a bad peer the others are served in less than twice the time they take without one. */
export const badPeer: Invariant = {
  id: 'I10',
  says: 'one bad peer never slows the others (99th percentile under twice that without it)',
  evidence: ['served'],
  check: (history) => {
    const without = percentile99(history, false);
    const beside = percentile99(history, true);
    if (without === null || beside === null || beside < 2 * without) return [];
    return [`with a bad peer the 99th percentile is ${beside} ms, without ${without} ms`];
  },
};

function percentile99(history: History, besideBadPeer: boolean): number | null {
  const served = recordsOf(history, 'served').filter((record) => record.besideBadPeer === besideBadPeer);
  if (served.length < LEAST_SAMPLES) return null;
  const times = served.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.ceil(times.length * 0.99) - 1] ?? null;
}
