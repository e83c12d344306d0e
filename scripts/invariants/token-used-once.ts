import { recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I6. An enrollment token lets in one key, however often and wherever it is used. */
export const tokenUsedOnce: Invariant = {
  id: 'I6',
  says: 'a token is used at most once',
  evidence: ['token-used'],
  check: (history) => {
    const keys = new Map<string, Set<string>>();
    for (const { token, publicKey } of recordsOf(history, 'token-used')) {
      keys.set(token, (keys.get(token) ?? new Set()).add(publicKey));
    }
    return [...keys]
      .filter(([, used]) => used.size > 1)
      .map(([token, used]) => `token ${token} enrolled ${used.size} keys`);
  },
};
