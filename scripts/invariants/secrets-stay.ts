import { type History, recordsOf } from './history.js';
import type { Invariant } from './invariant.js';

/** I12. No secret stands in a log line, a result or a URL. A breach doesn't repeat it. */
export const secretsStay: Invariant = {
  id: 'I12',
  says: 'no secret is in logs, results or URLs',
  evidence: ['text'],
  check: (history) => recordsOf(history, 'text').flatMap(({ where, text }) => leaks(history, where, text)),
};

function leaks({ secrets }: History, where: string, text: string): string[] {
  return secrets
    .map((secret, index) => (secret !== '' && text.includes(secret) ? index : -1))
    .filter((index) => index >= 0)
    .map((index) => `${where} holds secret number ${index + 1}`);
}
