import t from 'tap';
import type { Answer } from './answers/answer.js';
import { outcomeOfFlight, outcomeOfKept } from './lookup-outcome.js';

const answer: Answer = { isFailure: false, askedAtMs: 0, freshUntilMs: 60_000, staleUntilMs: 90_000, body: {} };
const failure: Answer = { ...answer, isFailure: true, body: { message: 'no such server' } };
const shown = { code: 'UNAVAILABLE', retryAfterSeconds: 50, details: { q: [{ message: /no such server$/ }] } };
const error = new Error('out of nodes');

t.test(
  'a kept answer is a hit, a kept failure leads to a stand-in, and a question without either is open',
  async (t) => {
    const judged = outcomeOfKept({ use: 'answer', answer, isRenewalDue: true }, 0);
    t.strictSame(judged, { kind: 'answer', answer, isHit: true });
    const failed = outcomeOfKept({ use: 'failure', failure, stale: null }, 10_000);
    t.match(failed, { kind: 'unavailable', error: shown });
    t.strictSame(outcomeOfKept({ use: 'nothing', stale: answer }, 0), { kind: 'open' });
  },
);

t.test('a flight ends with an answer, a stand-in, a refusal of its own caller, or open for another one', async (t) => {
  for (const isOwn of [true, false]) {
    t.strictSame(outcomeOfFlight({ kind: 'found', answer }, isOwn, 0), { kind: 'answer', answer, isHit: false });
    t.match(outcomeOfFlight({ kind: 'found', answer: failure }, isOwn, 10_000), { kind: 'unavailable', error: shown });
    t.strictSame(outcomeOfFlight({ kind: 'failed', error }, isOwn, 0), { kind: 'unavailable', error });
    t.match(outcomeOfFlight(null, isOwn, 0), { kind: 'unavailable', error: { code: 'UNAVAILABLE' } });
  }
  t.strictSame(outcomeOfFlight({ kind: 'notPaid', error }, true, 0), { kind: 'refused', error });
  t.strictSame(outcomeOfFlight({ kind: 'notPaid', error }, false, 0), { kind: 'open' });
});
